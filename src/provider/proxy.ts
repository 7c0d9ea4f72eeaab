/** Which proxy stands between us and an address, by the variables that curl and others read. */
import { isIPv6 } from "node:net";

type Environment = Readonly<Record<string, string | undefined>>;

export type ProxyChoice =
  | { readonly type: "direct" }
  | { readonly type: "proxy"; readonly url: URL }
  | { readonly type: "refused"; readonly why: string };

export function proxyFor(target: URL, environment: Environment): ProxyChoice {
  const scheme = target.protocol === "https:" ? "https_proxy" : "http_proxy";
  const named = [scheme, "all_proxy"]
    .flatMap((name) => [name, name.toUpperCase()])
    .find((name) => (environment[name]?.trim() ?? "") !== "");
  if (named === undefined || isLocal(target) || isExempt(target, environment)) return { type: "direct" };
  return parseProxy(named, environment[named]?.trim() ?? "");
}

/** The value may hold a password: it is not repeated in what we say. */
function parseProxy(variable: string, value: string): ProxyChoice {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  if (!URL.canParse(text)) return { type: "refused", why: `${variable} is not an address` };
  const url = new URL(text);
  if (url.protocol === "http:" || url.protocol === "https:") return { type: "proxy", url };
  const scheme = url.protocol.slice(0, -1);
  return {
    type: "refused",
    why: `${variable} names a ${scheme} proxy; only http and https proxies are known`,
  };
}

/** A model on this machine is never reached through a proxy. */
function isLocal({ hostname }: URL): boolean {
  return (
    hostname === "localhost" ||
    hostname.endsWith(".localhost") ||
    hostname === "[::1]" ||
    /^127\./.test(hostname)
  );
}

function isExempt(target: URL, environment: Environment): boolean {
  const list = environment["no_proxy"] ?? environment["NO_PROXY"] ?? "";
  return list.split(/[\s,]+/).some((entry) => entry !== "" && matches(target, entry.toLowerCase()));
}

/** `*`, a host with everything below it, or either with a port. */
function matches(target: URL, entry: string): boolean {
  if (entry === "*") return true;
  const [, name = entry, port] = isIPv6(entry) ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (port !== undefined && port !== portOf(target)) return false;
  const host = target.hostname.toLowerCase().replace(/^\[|\]$/g, "");
  const wanted = name.replace(/^\*?\.|^\[|\]$/g, "");
  return wanted !== "" && (host === wanted || host.endsWith(`.${wanted}`));
}

export function portOf({ port, protocol }: URL): string {
  if (port !== "") return port;
  return protocol === "https:" ? "443" : "80";
}
