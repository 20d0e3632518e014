const SEPARATOR = ':';

/**
 * Names the sender of a format, as channels store it: `webhook:slack`. A process that does not know the format has no
 * sender of this name, and leaves the deliveries to others instead of posting the event as it is.
 */
export function toSenderType(type: string, format: string | null): string {
  return format === null ? type : `${type}${SEPARATOR}${format}`;
}

/** The type and the format that the API shows. */
export function splitSenderType(senderType: string): { readonly type: string; readonly format: string | null } {
  const [type = '', format = null] = senderType.split(SEPARATOR);
  return { type, format };
}

/** For errors: `webhook`, or `webhook with format slack`. */
export function describeSenderType(senderType: string): string {
  const { type, format } = splitSenderType(senderType);
  return format === null ? type : `${type} with format ${format}`;
}

/** Whether a sender is a type of its own, in lists of types. */
export function isType({ type }: { readonly type: string }): boolean {
  return splitSenderType(type).format === null;
}
