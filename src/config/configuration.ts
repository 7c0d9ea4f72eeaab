/** The configuration of this machine, for those who look at it and change it. */
import type { Configuration } from "../core/configuration.ts";
import { readChat } from "./chat.ts";
import { checkConfig } from "./check-config.ts";
import { readErrorRules } from "./error-rules.ts";
import { readHooks } from "./hooks.ts";
import { setSetting } from "./set-setting.ts";
import { ownName } from "./setting-names.ts";
import { showModels } from "./show-models.ts";
import { showSettings } from "./show-settings.ts";

const READERS = {
  "chat.yaml": readChat,
  "error_classification.yaml": readErrorRules,
  "hooks.yaml": readHooks,
};

export const configuration: Configuration = {
  show: (root) => showSettings(root),
  ownName: (name) => ownName(name),
  set: (root, wish) => setSetting(root, wish),
  check: (root) => checkConfig(root, READERS),
  models: (root, options) => showModels(root, options),
};
