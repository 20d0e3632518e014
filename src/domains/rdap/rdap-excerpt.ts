import { toPrintable } from '../answer-text/printable.js';
import { isObject, type Json, toList, member } from './rdap-json.js';
import type { HttpReply } from '../transport/bounded-http-request.js';
import { rememberByList } from './remember-by-list.js';

const MAX_EXCERPT_LENGTH = 500;
const MAX_NOTICE_LENGTH = 120;

/**
 * The part of a response that is kept as evidence. JSON is rebuilt from the members that a status is derived from,
 * so that no contact data is kept; of anything else only media type, size and page title.
 */
export function rdapExcerpt(reply: HttpReply, json: Json): string {
  const excerpt = isObject(json) ? `{${essentialMembers(json).join()}}` : describeBody(reply);
  return toPrintable(excerpt.slice(0, MAX_EXCERPT_LENGTH));
}

/** As JSON, each as a text of its own: nearly every answer is parsed, and few excerpts are read. */
function essentialMembers(json: Json): string[] {
  const text = (key: string) => toMember(key, truncatedText(member(json, key)) || undefined);
  return [
    toMember('errorCode', numberOrUndefined(member(json, 'errorCode'))),
    text('objectClassName'),
    text('ldhName'),
    text('unicodeName'),
    formatStatuses(member(json, 'status')),
    toListMember('events', toList(member(json, 'events')).filter(isObject).map(formatEvent)),
    // Only errors have these two at the top level (RFC 9083 §6).
    text('title'),
    toListMember('description', toList(member(json, 'description')).map(truncatedText)),
    formatNotices(member(json, 'notices')),
  ].filter((one) => one !== '');
}

const formatStatuses = rememberByList((statuses) => toListMember('status', toList(statuses).map(truncatedText)));
const formatNotices = rememberByList((notices) => toListMember('notices', toList(notices).map(formatNotice)));

function toListMember(key: string, list: readonly string[]): string {
  return list.length > 0 ? toMember(key, list) : '';
}

function toMember(key: string, value: string | number | readonly string[] | undefined): string {
  return value === undefined ? '' : `"${key}":${JSON.stringify(value)}`;
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
