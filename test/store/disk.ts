/** A driver whose disk can be made to fail, and a place for databases that goes away again. */
import { join } from "node:path";
import { sha256 } from "../../src/machine/index.ts";
import { type Driver, type OpenDriver, openDriver, type Statement } from "../../src/store/driver.ts";
import type { StoreNeeds } from "../../src/store/stores/needs.ts";
import { quickFolder } from "../quick-folder.ts";

export function scratch(): () => string {
  const folder = quickFolder("disk");
  let count = 0;
  return () => {
    count += 1;
    return join(folder, `${count}`, "registry.db");
  };
}

export const needs: StoreNeeds = {
  now: Date.now,
  sha256,
  newId: () => "store",
  ownerState: () => "dead",
};

export const ERRORS = { ENOSPC: 13, EIO: 10, EROFS: 8 } as const;

/** Every call of the driver goes through `before`, which may throw. */
export function watchedDriver(before: (sql: string) => void): OpenDriver {
  return (path) => {
    const driver = openDriver(path);
    const watched: Driver = {
      exec: (sql) => {
        before(sql);
        driver.exec(sql);
      },
      prepare: (sql) => watchedStatement(driver.prepare(sql), () => before(sql)),
      close: () => driver.close(),
    };
    return watched;
  };
}

function watchedStatement(statement: Statement, before: () => void): Statement {
  return {
    run: (...values) => {
      before();
      return statement.run(...values);
    },
    get: (...values) => {
      before();
      return statement.get(...values);
    },
    all: (...values) => {
      before();
      return statement.all(...values);
    },
  };
}

export function diskError(code: keyof typeof ERRORS): Error {
  return Object.assign(new Error(`test disk: ${code}`), { code: "ERR_SQLITE_ERROR", errcode: ERRORS[code] });
}
