// One seed for everything that is left to chance: `npm test` prints it, SELVAGE_SEED=… plays it again.

import fc from "fast-check";

const seed = Number(process.env.SELVAGE_SEED);
if (Number.isSafeInteger(seed) && seed !== 0) fc.configureGlobal({ seed });
