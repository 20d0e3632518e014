import { isObject, type Json, listOf, member, printable } from './rdap-json.js';
import type { HttpReply } from './registry-http.js';

const LIMIT = 500;
const NOTICE_LIMIT = 120;

/**
 * What of an answer is kept as evidence. A JSON answer is rebuilt from the members that statuses are made of, so that
 * no contact can slip in; of anything else only its kind and the title of its page are told.
 */
export function excerptOf(reply: HttpReply, answer: Json): string {
  const excerpt = isObject(answer) ? JSON.stringify(essence(answer)) : description(reply);
  return printable(excerpt.slice(0, LIMIT));
}

function essence(answer: Json): Record<string, unknown> {
  const text = (key: string) => quoted(member(answer, key)) || undefined;
  return {
    errorCode: number(member(answer, 'errorCode')),
    objectClassName: text('objectClassName'),
    ldhName: text('ldhName'),
    unicodeName: text('unicodeName'),
    status: some(listOf(member(answer, 'status')).map(quoted)),
    events: some(listOf(member(answer, 'events')).filter(isObject).map(event)),
    // Only an error has these two of its own, see RFC 9083 §6.
    title: text('title'),
    description: some(listOf(member(answer, 'description')).map(quoted)),
    notices: some(listOf(member(answer, 'notices')).map(notice)),
  };
}

function event(event: Json): string {
  return `${quoted(member(event, 'eventAction'))} ${quoted(member(event, 'eventDate'))}`;
}

function notice(notice: Json): string {
  const lines = [member(notice, 'title'), ...listOf(member(notice, 'description'))];
  return lines.map(quoted).join(': ').slice(0, NOTICE_LIMIT);
}

/** A text's beginning as it is: what cannot be printed is taken out of the whole. */
function quoted(value: Json): string {
  return typeof value === 'string' ? value.slice(0, LIMIT) : '';
}

function description({ mediaType, body }: HttpReply): string {
  const page = new TextDecoder().decode(body.subarray(0, 4_096));
  const title = /<title[^>]*>([^<]{1,200})/i.exec(page)?.[1];
  return `${mediaType || 'no media type'}, ${body.length} bytes${title ? `: ${title}` : ''}`;
}

function number(value: Json): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}
