/** A file of the configuration that does not validate, with all that is wrong with it. */
import type { Complaint } from "../core/directive.ts";
import { Problem } from "../core/problem.ts";
import { complaintText } from "../yaml/complaint.ts";

export interface FileComplaints {
  /** As people read it. */
  readonly file: string;
  readonly complaints: readonly Complaint[];
}

/** What throws it tells a person the first few; `config check` lists them all. */
export class InvalidConfig extends Problem {
  readonly found: FileComplaints;

  constructor(holds: string, found: FileComplaints) {
    const what = `The ${holds} in ${found.file} do not validate.`;
    super("E_CONFIG_INVALID", { what, why: complaintText(found.complaints) });
    this.found = found;
  }
}
