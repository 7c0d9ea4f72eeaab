/** A click has no name of its own on most platforms: what it does and who did it name it, so that doubled ones are one. */
export function clickId(click: {
  readonly messageId: string;
  readonly action: string;
  readonly value: string;
  readonly personId: string;
}): string {
  return JSON.stringify([click.messageId, click.action, click.value, click.personId]);
}
