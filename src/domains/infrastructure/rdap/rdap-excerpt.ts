import { toPrintable } from '../answer-text/printable.js';
import { isObject, type Json, toList, member } from './rdap-json.js';
import type { HttpReply } from '../http/bounded-http-request.js';

const MAX_EXCERPT_LENGTH = 500;
const MAX_NOTICE_LENGTH = 120;

/**
 * The part of a response that is kept as evidence. JSON is rebuilt from the members that a status is derived from,
 * so that no contact data is kept; of anything else only media type, size and page title.
 */
export function rdapExcerpt(reply: HttpReply, json: Json): string {
  const excerpt = isObject(json) ? JSON.stringify(essentialMembers(json)) : describeBody(reply);
  return toPrintable(excerpt.slice(0, MAX_EXCERPT_LENGTH));
}

function essentialMembers(json: Json): Record<string, unknown> {
  const text = (key: string) => truncatedText(member(json, key)) || undefined;
  return {
    errorCode: numberOrUndefined(member(json, 'errorCode')),
    objectClassName: text('objectClassName'),
    ldhName: text('ldhName'),
    unicodeName: text('unicodeName'),
    status: listOrUndefined(toList(member(json, 'status')).map(truncatedText)),
    events: listOrUndefined(toList(member(json, 'events')).filter(isObject).map(formatEvent)),
    // Only errors have these two at the top level (RFC 9083 §6).
    title: text('title'),
    description: listOrUndefined(toList(member(json, 'description')).map(truncatedText)),
    notices: listOrUndefined(formatNotices(member(json, 'notices'))),
  };
}

/** Plain records share the notices of their registry. */
const formatted = new WeakMap<object, string[]>();

function formatNotices(notices: Json): string[] {
  if (typeof notices !== 'object' || notices === null) return toList(notices).map(formatNotice);
  const known = formatted.get(notices);
  if (known) return known;
  const lines = toList(notices).map(formatNotice);
  formatted.set(notices, lines);
  return lines;
}

function formatEvent(event: Json): string {
  return `${truncatedText(member(event, 'eventAction'))} ${truncatedText(member(event, 'eventDate'))}`;
}

function formatNotice(notice: Json): string {
  const lines = [member(notice, 'title'), ...toList(member(notice, 'description'))];
  return lines.map(truncatedText).join(': ').slice(0, MAX_NOTICE_LENGTH);
}

/** Unprintable characters are removed later, from the whole excerpt. */
function truncatedText(value: Json): string {
  return typeof value === 'string' ? value.slice(0, MAX_EXCERPT_LENGTH) : '';
}

function describeBody({ mediaType, body }: HttpReply): string {
  const page = new TextDecoder().decode(body.subarray(0, 4_096));
  const title = /<title[^>]*>([^<]{1,200})/i.exec(page)?.[1];
  return `${mediaType || 'no media type'}, ${body.length} bytes${title ? `: ${title}` : ''}`;
}

function numberOrUndefined(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function listOrUndefined<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
