/** What a tree may come to at most, before anything of it is started: who may start whom, and what each may spend. */
import type { Directive } from "./directive.ts";
import { parseDollars, showDollars } from "./money.ts";
import { covers, directiveRight, toolRight } from "./right.ts";

export interface Forecast {
  readonly directive: string;
  /** Dollars that it may spend with everyone below it; null: it draws on its parent's, or has no limit. */
  readonly spend: string | null;
  /** How many children it may start; null: nobody says. */
  readonly spawns: number | null;
  readonly children: readonly Forecast[];
  /** Why it could not be started as things are. */
  readonly problem: string | null;
  /** It stands above itself: what is below it there is the same again. */
  readonly again: boolean;
}

export interface Family {
  readonly names: readonly string[];
  /** Throws when it cannot be read. */
  directive(name: string): Directive;
}

const DEEPEST = 8;

/** A child without a limit of its own money is not started (O4): better seen here than at night. */
export function forecast(
  directive: Directive,
  limits: Readonly<Record<string, number | string>>,
  family: Family,
  above: readonly string[] = [],
): Forecast {
  const { spend, spawns } = limits;
  const again = above.includes(directive.name);
  const isRoot = above.length === 0;
  const hasMoney = isRoot || spend !== undefined;
  return {
    directive: directive.name,
    spend: spend === undefined || spend === "shared" ? null : showDollars(parseDollars(String(spend)) ?? 0),
    spawns: typeof spawns === "number" ? spawns : null,
    children: again ? [] : childrenOf(directive, family, [...above, directive.name]),
    problem: hasMoney ? null : 'no spend limit: add limits: { spend: "0.50" } to it',
    again,
  };
}

function childrenOf(directive: Directive, family: Family, above: readonly string[]): Forecast[] {
  const rights = [...directive.permissions, ...directive.ask];
  const may = (right: string) => rights.some((pattern) => covers(pattern, right));
  if (!may(toolRight("thread_tool")) || above.length > DEEPEST) return [];
  return family.names
    .filter((name) => may(directiveRight(name)))
    .map((name) => {
      try {
        const child = family.directive(name);
        return forecast(child, child.limits, family, above);
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        return { directive: name, spend: null, spawns: null, children: [], problem, again: false };
      }
    });
}
