import { Command, InvalidArgumentError } from 'commander';
import { BlockList, isIP } from 'node:net';
import { type ApiOptions, apiCommand } from '../api-client.js';
import { followEvents, formatEvent, type ReceivedEvent } from './events.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { escapeInJson, parseWholeNumber, print } from '../terminal.js';
import type { SignedRequest } from './signed-request.js';

interface Options extends ApiOptions {
  readonly forward?: URL;
  readonly events?: readonly string[];
  readonly secret?: string;
  readonly after?: string;
  readonly count: number;
}

/** The outcome of a forwarded request: the response's status and the duration in milliseconds, or an error. */
type ForwardResult = { readonly status: number; readonly ms: number } | { readonly error: string };

const FORWARD_TIMEOUT_MS = 15_000;
const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

export function webhooks(): Command {
  const listen = apiCommand('listen')
    .description('show each event as the signed request that a webhook gets, to develop a receiver; Ctrl-C ends it')
    .option(
      '--forward <url>',
      'send each request to this URL too; loopback only, such as http://127.0.0.1:4000/',
      parseLoopbackUrl,
    )
    .option('--events <types>', 'only these, as in event_types of a channel, with commas between', parseTypes)
    .option('--secret <whsec>', 'sign with this secret; without it a new secret is made and shown')
    .option('--after <cursor>', 'begin behind this event, whose cursor --json shows; else from now on')
    .option('--count <number>', 'end after so many', parseWholeNumber(), Infinity)
    .action(run);
  return new Command('webhooks').addCommand(listen);
}

async function run({ json, forward, events, secret, after, count: maxCount, ...connection }: Options): Promise<void> {
  const { createRequestSigner: requestSigner } = await import('./signed-request.js');
  const signer = requestSigner(secret, events);
  if (!signer)
    throw new CommandError(EXIT.usage, 'no such event type, or no secret: whsec_ and base64 of 24 to 64 bytes');
  console.error(`signing with ${signer.secret}`);
  let left = maxCount;
  for await (const { cursor, body } of followEvents(connection, { after })) {
    const request = signer.sign(body);
    if (!request) continue;
    const forwarded = forward ? await post(forward, request) : null;
    print(json, { cursor, ...request, forwarded }, describe(request, forward, forwarded));
    if ((left -= 1) === 0) return;
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

function parseTypes(text: string): string[] {
  return text.split(',').map((type) => type.trim());
}

/** Accepts only this machine. Otherwise a command line from a stranger could send events to that stranger. */
function parseLoopbackUrl(text: string): URL {
  const url = URL.parse(text);
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const family = isIP(host) === 6 ? 'ipv6' : 'ipv4';
  const isLoopback = host === 'localhost' || (isIP(host) > 0 && LOOPBACK.check(host, family));
  if (!url || !/^https?:$/.test(url.protocol) || !isLoopback)
    throw new InvalidArgumentError('only http(s) URLs of this machine: 127.0.0.1, [::1] or localhost');
  return url;
}
