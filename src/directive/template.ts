/** What `directive new` writes: a directive that runs as it is, with its script when the scripted model was asked for. */

export interface TemplateChoice {
  readonly form: "yaml" | "xml";
  /** True: with a model that needs no key. */
  readonly scripted: boolean;
}

/** Named in the specification; whoever has another provider changes one line. */
const MODEL = "anthropic/claude-sonnet-4-5";
const DESCRIPTION = "Says in one sentence what this is for";
const PROMPT = "Write three sentences about {input:topic:durable threads}, then stop.";

export function directiveTemplate(name: string, { form, scripted }: TemplateChoice): string {
  const model = scripted ? `scripted/${name}` : MODEL;
  return form === "xml" ? xml(name.split("/").at(-1) ?? name, model) : native(model);
}

function native(model: string): string {
  return `---
description: ${DESCRIPTION}
version: 0.1.0
model: { id: ${model} }
limits: { turns: 10, tokens: 50000, spend: "0.50" }
permissions: [execute.tool.read, execute.tool.ls]
inputs:
  topic: { type: string, required: false, description: What is written about }
---
${PROMPT}
`;
}

function xml(name: string, model: string): string {
  return `\`\`\`xml
<directive name="${name}" version="0.1.0">
  <metadata>
    <description>${DESCRIPTION}</description>
    <model id="${model}" />
    <limits max_turns="10" max_tokens="50000" max_spend="0.50" />
    <permissions>
      <execute action="tool.read" />
      <execute action="tool.ls" />
    </permissions>
  </metadata>
  <inputs>
    <input name="topic" type="string" required="false">What is written about</input>
  </inputs>
</directive>
\`\`\`

${PROMPT}
`;
}

export function scriptTemplate(name: string): string {
  return `# What the model scripted/${name} answers, step by step. It needs no key and does not read the prompt.
# A step says, calls, streams, fails or hangs.
- says: This is the scripted answer of ${name}. Change it in .ai/scripts/${name}.yaml.
`;
}
