#!/usr/bin/env node
/** The command `selvage`. */
import { house } from "./main.ts";
import { main } from "./surface/cli/main.ts";

process.exitCode = await main(process.argv.slice(2), house);
