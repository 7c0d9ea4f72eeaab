/**
 * The layout of the store, as a list of migrations. Each runs in one transaction together with the new version
 * number, so a kill leaves the old layout or the new one. A store with a higher version is refused untouched.
 */

import { Problem } from "../core/problem.ts";
import type { Driver } from "./driver.ts";

const TERMINAL = "'completed', 'error', 'cancelled'";

/** What an older version wrote never changes: a store out there has exactly this. */
const FIRST = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE threads (
  no INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL UNIQUE,
  chain_root_id TEXT NOT NULL,
  root_id TEXT NOT NULL,
  parent_id TEXT,
  directive TEXT NOT NULL,
  model TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('created', 'running', 'suspended', 'completed', 'error', 'cancelled')),
  suspend_reason TEXT CHECK (suspend_reason IN ('error', 'storage', 'corrupt', 'crash_loop')),
  waits_for TEXT,
  run INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 0),
  hash TEXT NOT NULL,
  turns INTEGER NOT NULL CHECK (turns >= 0),
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  active_ms INTEGER NOT NULL,
  recoveries INTEGER NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  owner TEXT,
  strikes TEXT NOT NULL,
  corrupt_seq INTEGER,
  corrupt_why TEXT,
  CHECK ((status = 'suspended') = (suspend_reason IS NOT NULL)),
  CHECK (status <> 'suspended' OR waits_for IS NOT NULL),
  CHECK (owner IS NULL OR status NOT IN (${TERMINAL}))
) STRICT;
CREATE INDEX threads_live ON threads (root_id) WHERE status NOT IN (${TERMINAL});

CREATE TABLE events (
  cursor INTEGER PRIMARY KEY,
  thread_no INTEGER NOT NULL REFERENCES threads (no),
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  ts INTEGER NOT NULL,
  body TEXT,
  blob TEXT,
  hash TEXT NOT NULL,
  UNIQUE (thread_no, seq),
  CHECK ((body IS NULL) <> (blob IS NULL))
) STRICT;

CREATE TABLE blobs (sha256 TEXT PRIMARY KEY, content TEXT NOT NULL) STRICT;

CREATE TABLE requests (
  request_id TEXT PRIMARY KEY,
  chain_root_id TEXT NOT NULL,
  body TEXT NOT NULL,
  posted_at INTEGER NOT NULL,
  consumed_at INTEGER
) STRICT;
CREATE INDEX requests_open ON requests (chain_root_id) WHERE consumed_at IS NULL;

CREATE TABLE timers (chain_root_id TEXT PRIMARY KEY, due INTEGER NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE hosts (
  host_id TEXT PRIMARY KEY,
  owner TEXT NOT NULL,
  socket TEXT,
  scope TEXT NOT NULL,
  beats INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** Questions to people; limits in the registry; every status and reason there is to be (SPEC §3). */
const APPROVALS = `
CREATE TABLE threads_new (
  no INTEGER PRIMARY KEY,
  thread_id TEXT NOT NULL UNIQUE,
  chain_root_id TEXT NOT NULL,
  root_id TEXT NOT NULL,
  parent_id TEXT,
  directive TEXT NOT NULL,
  model TEXT NOT NULL,
  limits TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN
    ('created', 'running', 'suspended', 'completed', 'error', 'cancelled', 'continued')),
  suspend_reason TEXT CHECK (suspend_reason IN
    ('limit', 'budget', 'error', 'quota', 'approval', 'outcome_unknown', 'storage', 'corrupt', 'crash_loop')),
  waits_for TEXT,
  run INTEGER NOT NULL,
  nonce TEXT NOT NULL,
  seq INTEGER NOT NULL CHECK (seq >= 0),
  hash TEXT NOT NULL,
  turns INTEGER NOT NULL CHECK (turns >= 0),
  input_tokens INTEGER NOT NULL CHECK (input_tokens >= 0),
  output_tokens INTEGER NOT NULL CHECK (output_tokens >= 0),
  active_ms INTEGER NOT NULL,
  recoveries INTEGER NOT NULL,
  error TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  owner TEXT,
  strikes TEXT NOT NULL,
  corrupt_seq INTEGER,
  corrupt_why TEXT,
  CHECK ((status = 'suspended') = (suspend_reason IS NOT NULL)),
  CHECK (status <> 'suspended' OR waits_for IS NOT NULL),
  CHECK (owner IS NULL OR status NOT IN (${TERMINAL}))
) STRICT;
INSERT INTO threads_new SELECT no, thread_id, chain_root_id, root_id, parent_id, directive, model,
  coalesce((SELECT CASE WHEN NOT json_valid(first) THEN NULL
      WHEN json_type(first, '$.limits') = 'object' THEN first -> '$.limits' END FROM
    (SELECT coalesce(body, (SELECT content FROM blobs WHERE sha256 = blob)) AS first
      FROM events WHERE thread_no = threads.no AND seq = 1)), '{}'),
  status, suspend_reason, waits_for, run, nonce, seq, hash, turns, input_tokens, output_tokens, active_ms,
  recoveries, error, created_at, updated_at, epoch, owner, strikes, corrupt_seq, corrupt_why FROM threads;
DROP TABLE threads;
ALTER TABLE threads_new RENAME TO threads;
CREATE INDEX threads_live ON threads (root_id) WHERE status NOT IN (${TERMINAL});

CREATE TABLE approvals (
  approval_id TEXT PRIMARY KEY,
  thread_id TEXT NOT NULL,
  chain_root_id TEXT NOT NULL,
  body TEXT NOT NULL,
  asked_at TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'decided', 'void'))
) STRICT;
CREATE INDEX approvals_open ON approvals (chain_root_id) WHERE state = 'open';

CREATE TABLE decisions (
  approval_id TEXT PRIMARY KEY REFERENCES approvals (approval_id),
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`;

/**
 * Money (B1): an account per chain, and what is held for requests that are under way. The lines behind the sums are the
 * events; a table of them would say the same twice, and cost three pages a turn.
 */
const LEDGER = `
ALTER TABLE threads ADD COLUMN spent INTEGER NOT NULL DEFAULT 0 CHECK (spent >= 0);
ALTER TABLE threads ADD COLUMN held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0);

CREATE TABLE accounts (
  account TEXT PRIMARY KEY,
  parent TEXT REFERENCES accounts (account),
  cap INTEGER CHECK (cap >= 0),
  spent INTEGER NOT NULL CHECK (spent >= 0),
  held INTEGER NOT NULL CHECK (held >= 0),
  ended INTEGER NOT NULL CHECK (ended IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX accounts_below ON accounts (parent) WHERE ended = 0;

CREATE TABLE holds (
  made_by TEXT NOT NULL,
  attempt TEXT NOT NULL,
  account TEXT NOT NULL REFERENCES accounts (account),
  held INTEGER NOT NULL CHECK (held >= 0),
  PRIMARY KEY (made_by, attempt)
) STRICT, WITHOUT ROWID;

INSERT INTO accounts SELECT chain_root_id, NULL,
  CASE WHEN limits ->> '$.spend' IS NULL THEN NULL
    ELSE CAST(round(CAST(limits ->> '$.spend' AS REAL) * 1000000000) AS INTEGER) END,
  0, 0, status IN (${TERMINAL})
FROM threads WHERE thread_id = chain_root_id;
`;

/** Trees: who of a thread's children lives, what the others cost, and how it ends once they are gone. */
const TREES = `
ALTER TABLE threads ADD COLUMN living INTEGER NOT NULL DEFAULT 0 CHECK (living >= 0);
ALTER TABLE threads ADD COLUMN below INTEGER NOT NULL DEFAULT 0 CHECK (below >= 0);
ALTER TABLE threads ADD COLUMN stopping TEXT;
CREATE INDEX threads_children ON threads (parent_id) WHERE parent_id IS NOT NULL;
`;

/** Threads further down whose ends a waiting thread is told of. */
const WATCHES = `
ALTER TABLE threads ADD COLUMN watches TEXT NOT NULL DEFAULT '[]';
`;

/** Chains: a thread has at most one that goes on from it, and one that does so is no live one any more. */
const CHAINS = `
ALTER TABLE threads ADD COLUMN continuation_of TEXT;
ALTER TABLE threads ADD COLUMN continuation_thread_id TEXT;
CREATE UNIQUE INDEX threads_continuation ON threads (continuation_of) WHERE continuation_of IS NOT NULL;
CREATE INDEX threads_chain ON threads (chain_root_id) WHERE chain_root_id <> thread_id;
DROP INDEX threads_live;
CREATE INDEX threads_live ON threads (root_id) WHERE status NOT IN (${TERMINAL}, 'continued');
`;

/** Channels: where a thread is a member, and the number of its last word there. */
const CHANNELS = `
ALTER TABLE threads ADD COLUMN channels TEXT NOT NULL DEFAULT '[]';
CREATE INDEX threads_channels ON threads (root_id) WHERE channels <> '[]';
`;

/** Tools and models that only the program which started a thread has. */
const BROUGHT = `
ALTER TABLE threads ADD COLUMN brought TEXT NOT NULL DEFAULT '[]';
`;

/** What is held for requests under way stands in the account of who makes them: one page less to write in every turn. */
const HELD_IN_ACCOUNTS = `
ALTER TABLE accounts ADD COLUMN under_way TEXT NOT NULL DEFAULT '[]';
UPDATE accounts SET under_way = (SELECT json_group_array(json_object('id', attempt, 'account', holds.account, 'held', holds.held))
  FROM holds WHERE made_by = accounts.account) WHERE account IN (SELECT made_by FROM holds);
DROP TABLE holds;
`;

/** Where people write to a thread. */
const ADDRESSES = `
ALTER TABLE threads ADD COLUMN address TEXT;
CREATE INDEX threads_address ON threads (address) WHERE address IS NOT NULL;
`;

/**
 * Where each event of a thread stands in the order of all of them. A table whose key is a number is made longer at its end
 * by one page, where an index evens out three or four: an index of threads and numbers cost a page and a half in every
 * turn. Who knows the old layout and is still at work knows no column `thread`, and writes nothing.
 */
const PLACES = `
CREATE TABLE events_new (
  cursor INTEGER PRIMARY KEY,
  thread INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  type TEXT NOT NULL,
  ts INTEGER NOT NULL,
  body TEXT,
  blob TEXT,
  hash TEXT NOT NULL,
  CHECK ((body IS NULL) <> (blob IS NULL))
) STRICT;
INSERT INTO events_new SELECT cursor, thread_no, seq, type, ts, body, blob, hash FROM events ORDER BY cursor;
DROP TABLE events;
ALTER TABLE events_new RENAME TO events;
CREATE TABLE places (place INTEGER PRIMARY KEY, cursor INTEGER NOT NULL) STRICT;
INSERT INTO places SELECT (thread << 32) + seq, cursor FROM events ORDER BY 1;
`;

export const MIGRATIONS: readonly string[] = [
  FIRST,
  APPROVALS,
  LEDGER,
  TREES,
  WATCHES,
  CHAINS,
  CHANNELS,
  BROUGHT,
  HELD_IN_ACCOUNTS,
  ADDRESSES,
  PLACES,
];

export function schemaVersion(driver: Driver): number {
  return Number(driver.prepare("PRAGMA user_version").get()?.["user_version"] ?? 0);
}

/** Nothing is known of what a later version keeps there. */
export function requireKnown(driver: Driver, migrations: readonly string[] = MIGRATIONS): void {
  const found = schemaVersion(driver);
  if (found > migrations.length) throw newer(found, migrations.length);
}

/** For who only reads: the layout must be ours already. */
export function requireLayout(driver: Driver, migrations: readonly string[] = MIGRATIONS): void {
  const found = schemaVersion(driver);
  if (found === migrations.length) return;
  throw new Problem("E_WRONG_STATE", {
    what: "This store has an older layout, and is not changed by a look at it.",
    why: `Its layout has version ${found}; this program reads ${migrations.length}.`,
    next: [{ cmd: "selvage trust", why: "if you trust the project: then it gets the newer one" }],
  });
}

export function migrate(driver: Driver, migrations: readonly string[] = MIGRATIONS): void {
  requireKnown(driver, migrations);
  const found = schemaVersion(driver);
  if (found === migrations.length) return;
  // A table that others point to is made anew: in between it is not there. Inside a transaction this has no effect.
  driver.exec("PRAGMA foreign_keys = OFF");
  try {
    for (let version = found; version < migrations.length; version += 1) step(driver, migrations, version);
  } finally {
    driver.exec("PRAGMA foreign_keys = ON");
  }
}

/** Several processes may open a new store at once: the one that comes second finds the work done. */
function step(driver: Driver, migrations: readonly string[], version: number): void {
  driver.exec("BEGIN IMMEDIATE");
  try {
    if (schemaVersion(driver) === version) {
      driver.exec(migrations[version] ?? "");
      driver.exec(`PRAGMA user_version = ${version + 1}`);
    }
    driver.exec("COMMIT");
  } catch (error) {
    driver.exec("ROLLBACK");
    throw error;
  }
}

function newer(found: number, known: number): Problem {
  return new Problem("E_STORE_NEWER", {
    what: "This store was written by a newer Selvage.",
    why: `Its layout has version ${found}; this program knows ${known}. It was left untouched.`,
    next: [{ cmd: "selvage --version", why: "tells which version this is" }],
  });
}
