/** The ways in which a secret value turns up in text: as it is, and as the usual encodings write it. */
import { wellFormed } from "./text.ts";

/** What is shorter turns up by chance. */
export const SHORTEST_FORM = 8;

export function formsOf(value: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(value), (byte) => String.fromCharCode(byte)).join("");
  const hex = Array.from(bytes, (byte) => byte.charCodeAt(0).toString(16).padStart(2, "0")).join("");
  const forms = [
    value,
    ...jsonForms(value),
    ...urlForms(value),
    ...base64Forms(bytes),
    hex,
    hex.toUpperCase(),
  ];
  return [...new Set(forms)].filter(({ length }) => length >= SHORTEST_FORM);
}

/** JSON in JSON too: arguments of a call are JSON text in an event that is JSON. */
function jsonForms(value: string): string[] {
  const once = JSON.stringify(value).slice(1, -1);
  return [once, JSON.stringify(once).slice(1, -1), value.replaceAll("/", "\\/")];
}

function urlForms(value: string): string[] {
  const encoded = encodeURIComponent(wellFormed(value));
  const lower = encoded.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  return [encoded, lower, encoded.replaceAll("%20", "+")];
}

/**
 * Base64 of the value alone, and the part of it that stays the same wherever the value stands in a longer text, as in
 * the `user:key` of a header: what comes before moves it by none, one or two bytes.
 */
function base64Forms(bytes: string): string[] {
  const inside = [0, 1, 2].map((before) => {
    const written = btoa("\0".repeat(before) + bytes).replace(/=+$/, "");
    const shared = (before + bytes.length) % 3 === 0 ? 0 : 1;
    return written.slice(before === 0 ? 0 : before + 1, written.length - shared);
  });
  const forms = [btoa(bytes), ...inside];
  return [...forms, ...forms.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}
