// Reads the project's own TypeScript as facts the rules can judge: what a file imports, exports, touches.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export interface Source {
  /** From the root of the project, with forward slashes: `src/core/decide.ts`. */
  readonly path: string;
  readonly lines: number;
  /** What is imported, in any way: `src/…` for a file of ours, otherwise the name as written. */
  readonly imports: readonly Import[];
  /** Names exported here; what another file exports through `export *` is under `passedOn`. */
  readonly exports: readonly string[];
  readonly passedOn: readonly string[];
  readonly functions: readonly { readonly name: string; readonly line: number; readonly lines: number }[];
  /** Uses of global things, as written: `Date.now`, `new Date()`, `setTimeout`, `process.`. */
  readonly globals: readonly { readonly name: string; readonly line: number }[];
}

interface Import {
  readonly target: string;
  readonly line: number;
  readonly form: "import" | "re-export" | "dynamic";
}

export function readSources(...directories: string[]): Source[] {
  return directories
    .flatMap(filesUnder)
    .map((path) => parseSource(path, readFileSync(`${root}/${path}`, "utf8")));
}

export function isTest(source: Source): boolean {
  return source.path.startsWith("test/") || /\.test\.tsx?$/.test(source.path);
}

export function parseSource(path: string, text: string): Source {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const nodes = allNodes(file);
  return {
    path,
    lines: text.replace(/\n$/, "").split("\n").length,
    imports: nodes.flatMap((node) => importOf(node, file)),
    exports: file.statements.flatMap(exportedNames),
    passedOn: file.statements.flatMap((statement) => passedOn(statement, path)),
    functions: nodes.flatMap((node) => functionOf(node, file)),
    globals: nodes.flatMap((node) => globalsOf(node, file)),
  };
}

function filesUnder(directory: string): string[] {
  if (!existsSync(`${root}/${directory}`)) return [];
  return readdirSync(`${root}/${directory}`, { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (entry.isDirectory()) return filesUnder(path);
    return /\.[cm]?tsx?$/.test(entry.name) ? [path] : [];
  });
}

function allNodes(node: ts.Node): ts.Node[] {
  const nodes = [node];
  ts.forEachChild(node, (child) => {
    nodes.push(...allNodes(child));
  });
  return nodes;
}

function importOf(node: ts.Node, file: ts.SourceFile): Import[] {
  const found = (specifier: ts.Node | undefined, form: Import["form"]): Import[] =>
    specifier && ts.isStringLiteralLike(specifier)
      ? [{ target: resolve(file.fileName, specifier.text), line: lineOf(node, file), form }]
      : [];
  if (ts.isImportDeclaration(node)) return found(node.moduleSpecifier, "import");
  if (ts.isExportDeclaration(node)) return found(node.moduleSpecifier, "re-export");
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
    return found(node.argument.literal, "import");
  const isDynamic = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword;
  return isDynamic ? found(node.arguments[0], "dynamic") : [];
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith(".") ? posix.join(posix.dirname(from), specifier) : specifier;
}

function exportedNames(statement: ts.Statement): string[] {
  if (ts.isExportAssignment(statement)) return ["default"];
  if (ts.isExportDeclaration(statement)) return clauseNames(statement.exportClause);
  if (!ts.canHaveModifiers(statement)) return [];
  const modifiers = (ts.getModifiers(statement) ?? []).map((modifier) => modifier.kind);
  if (!modifiers.includes(ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.includes(ts.SyntaxKind.DefaultKeyword)) return ["default"];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.flatMap((declaration) => boundNames(declaration.name));
  }
  const { name } = statement as ts.DeclarationStatement;
  return name ? [name.text] : [];
}

function clauseNames(clause: ts.NamedExportBindings | undefined): string[] {
  if (!clause) return [];
  return ts.isNamedExports(clause) ? clause.elements.map((element) => element.name.text) : [clause.name.text];
}

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}

function passedOn(statement: ts.Statement, path: string): string[] {
  const isStar = ts.isExportDeclaration(statement) && !statement.exportClause && statement.moduleSpecifier;
  return isStar && ts.isStringLiteral(isStar) ? [resolve(path, isStar.text)] : [];
}

function functionOf(node: ts.Node, file: ts.SourceFile): Source["functions"] {
  if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return [];
  const line = lineOf(node, file);
  const lines = file.getLineAndCharacterOfPosition(node.getEnd()).line + 2 - line;
  const owner = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined);
  return [{ name: owner?.getText(file) ?? "(unnamed)", line, lines }];
}

function globalsOf(node: ts.Node, file: ts.SourceFile): Source["globals"] {
  if (!ts.isIdentifier(node) || !isFreeStanding(node)) return [];
  const { parent } = node;
  const found = (name: string) => [{ name, line: lineOf(node, file) }];
  if (ts.isPropertyAccessExpression(parent)) return found(`${node.text}.${parent.name.text}`);
  if (ts.isNewExpression(parent) && !parent.arguments?.length) return found(`new ${node.text}()`);
  if (ts.isCallExpression(parent) && parent.expression === node) return found(`${node.text}()`);
  return found(node.text);
}

/** Not a property's name, a key, a declared name or a type: an expression that reads a variable. */
function isFreeStanding(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  if ("name" in parent && parent.name === node) return false;
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return (
    ts.isExpression(parent) || ts.isStatement(parent) || ts.isVariableDeclaration(parent) || isValue(parent)
  );
}

function isValue(parent: ts.Node): boolean {
  return ts.isPropertyAssignment(parent) || ts.isParameter(parent) || ts.isPropertyDeclaration(parent);
}

function lineOf(node: ts.Node, file: ts.SourceFile): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
