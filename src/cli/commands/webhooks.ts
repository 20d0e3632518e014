import { Command, InvalidArgumentError } from 'commander';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../kernel/identifier.js';
import { isLoopbackHost } from '../../kernel/localhost.js';
import { EVENT_FILTERS, matchesFilter, SigningSecret, webhookHeaders } from '../../notifications/index.js';
import { type ApiOptions, apiCommand } from '../api-client.js';
import { followEvents, formatEvent, type ReceivedEvent } from './events.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { escapeInJson, parseList, parseWholeNumber, print } from '../terminal.js';

interface Options extends ApiOptions {
  readonly forward?: URL;
  readonly events?: readonly string[];
  readonly secret?: string;
  readonly after?: string;
  readonly count: number;
}

/** The outcome of a forwarded request: the response's status and the duration in milliseconds, or an error. */
type ForwardResult = { readonly status: number; readonly ms: number } | { readonly error: string };

/** The signed request that delivers an event to a webhook. */
interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the library of Standard Webhooks, which receivers use, accepts the signature. */
  readonly verified: boolean;
}

const SECRET = /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/;
const FORWARD_TIMEOUT_MS = 15_000;

export function webhooks(): Command {
  const listen = apiCommand('listen')
    .description('show each event as the signed request that a webhook gets, to develop a receiver; Ctrl-C ends it')
    .option(
      '--forward <url>',
      'send each request to this URL too; loopback only, such as http://127.0.0.1:4000/',
      parseLoopbackUrl,
    )
    .option('--events <types>', 'only these, as in event_types of a channel, with commas between', parseList)
    .option('--secret <whsec>', 'sign with this secret; without it a new secret is made and shown')
    .option('--after <cursor>', 'begin behind this event, whose cursor --json shows; else from now on')
    .option('--count <number>', 'end after so many', parseWholeNumber(), Infinity)
    .action(run);
  return new Command('webhooks').addCommand(listen);
}

async function run({
  json,
  forward,
  events = [],
  secret,
  after,
  count: maxCount,
  ...connection
}: Options): Promise<void> {
  const known: readonly string[] = EVENT_FILTERS;
  if ((secret !== undefined && !SECRET.test(secret)) || !events.every((filter) => known.includes(filter)))
    throw new CommandError(EXIT.usage, 'no such event type, or no secret: whsec_ and base64 of 24 to 64 bytes');
  const signing = secret === undefined ? SigningSecret.generate() : SigningSecret.restore(secret);
  console.error(`signing with ${signing.text}`);
  let left = maxCount;
  for await (const { cursor, body } of followEvents(connection, { after })) {
    const { type } = JSON.parse(body) as ReceivedEvent;
    if (events.length > 0 && !events.some((filter) => matchesFilter(filter, type))) continue;
    const request = sign(body, signing);
    const forwarded = forward ? await post(forward, request) : null;
    print(json, { cursor, ...request, forwarded }, describe(request, forward, forwarded));
    if ((left -= 1) === 0) return;
  }
}

function sign(body: string, secret: SigningSecret): SignedRequest {
  const { id, type, timestamp } = JSON.parse(body) as ReceivedEvent;
  const headers = webhookHeaders({
    deliveryId: newId('dl'),
    attempt: 1,
    sentAt: new Date(),
    channel: { id: newId('nc'), accountId: '', target: '', secrets: [secret], credential: null, headers: {} },
    event: { id, type, body, createdAt: new Date(timestamp) },
  });
  return { headers, body, verified: isVerified(secret, body, headers) };
}

function isVerified(secret: SigningSecret, body: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret.text).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}

async function post(url: URL, { headers, body }: SignedRequest): Promise<ForwardResult> {
  const begun = performance.now();
  try {
    const signal = AbortSignal.timeout(FORWARD_TIMEOUT_MS);
    const response = await fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' });
    await response.body?.cancel();
    return { status: response.status, ms: Math.round(performance.now() - begun) };
  } catch (error) {
    const { message, cause } = error as Error;
    return { error: cause instanceof Error ? cause.message || message : message };
  }
}

function describe(
  { headers, body, verified }: SignedRequest,
  url: URL | undefined,
  forwarded: ForwardResult | null,
): string[] {
  const lines = [
    formatEvent(JSON.parse(body) as ReceivedEvent),
    ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`),
    `  ${escapeInJson(body)}`,
    `  signature ${verified ? 'verified' : 'NOT VERIFIED'}`,
  ];
  if (!url || !forwarded) return lines;
  const end = 'error' in forwarded ? forwarded.error : `${forwarded.status} in ${forwarded.ms} ms`;
  return [...lines, `  ${url.href} answered: ${end}`];
}

/** Allows only URLs of this machine, so that a copied command line cannot send the events to a stranger. */
function parseLoopbackUrl(text: string): URL {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || !isLoopbackHost(url.hostname))
    throw new InvalidArgumentError('only http(s) URLs of this machine: 127.0.0.1, [::1] or localhost');
  return url;
}
