import assert from 'node:assert/strict';
import type { ContractCase } from './contract-case.js';
import { withTimeout } from '../kernel/promises.js';
import { TimeUnits } from '../kernel/time-units.js';
import {
  type AttemptOutcome,
  CHANNEL_TYPE,
  type ChannelSender,
  type GuardedHttp,
  type Message,
  sendMessage,
  toSecretParts,
  EXAMPLE_EVENTS,
  SigningSecret,
  maskTarget,
  TargetInvalid,
  TargetNotAllowed,
  whyGone,
} from '../notifications/index.js';
import { LoopbackHttp, LoopbackReceiver, type Reply, replyWith } from './loopback-receiver.js';
import { DomainError } from '../kernel/domain-error.js';

/**
 * Returns test cases with the rules for every channel type. The sender under test reaches only a receiver on loopback.
 */
export function channelSenderContract(options: ChannelSenderContractOptions): ContractCase[] {
  const checks = { ...TARGET_CHECKS, ...SENDING_CHECKS, ...STATUS_CHECKS };
  return Object.entries(checks).map(([name, check]) => ({ name, run: () => Subject.run(options, check) }));
}

export interface ChannelSenderContractOptions {
  /** Creates the sender. `http` connects to a receiver on loopback, whichever host a request names. */
  readonly create: (http: GuardedHttp, units: TimeUnits) => ChannelSender;
  /** Targets that the channel type must reject. */
  readonly invalidTargets: readonly string[];
  /** A valid credential. Channel types with `secret: 'account'` need it. */
  readonly credential?: string;
  readonly invalidCredentials?: readonly string[];
}

type Check = (subject: Subject) => Promise<void> | void;

/** A channel sender with its own receiver, for one test case. */
class Subject {
  private constructor(
    readonly sender: ChannelSender,
    readonly receiver: LoopbackReceiver,
    readonly options: ChannelSenderContractOptions,
  ) {}

  static async run(options: ChannelSenderContractOptions, check: Check): Promise<void> {
    const receiver = await LoopbackReceiver.start();
    const http = new LoopbackHttp(receiver);
    try {
      await check(new Subject(options.create(http, TimeUnits.REAL), receiver, options));
    } finally {
      await http.onApplicationShutdown();
      await receiver.stop();
    }
  }

  message(changes: Partial<Message> = {}): Message {
    const { sender, options } = this;
    const credential = sender.secret === 'account' ? sender.parseCredential(options.credential ?? '') : null;
    const target = sender.parseTarget(sender.example.target).canonical;
    return createMessage(sender, { target, credential, changes });
  }

  /** Sends a message as the service does. If the sender throws, the test case fails. */
  async send(reply: Reply = replyWith(200), changes: Partial<Message> = {}): Promise<AttemptOutcome> {
    this.receiver.reply = reply;
    const message = this.message(changes);
    const { outcome, bug } = await sendMessage(this.sender, message, this.host);
    if (bug) assert.fail(`send() threw: ${String((bug.cause as Error).stack)}`);
    return outcome;
  }

  /** The texts that must not leak: the longest part of a secret target, and the other secrets. */
  get secrets(): readonly string[] {
    const { sender, options } = this;
    const [, ...parts] = toSecretParts(sender.parseTarget(sender.example.target).canonical, this.host);
    const token = parts.toSorted((left, right) => right.length - left.length).slice(0, 1);
    return [
      ...(sender.hasSecretTarget ? token : []),
      ...(sender.secret === 'account' ? [options.credential ?? ''] : []),
      ...(sender.secret === 'signing' ? SIGNING_SECRETS.map(({ text }) => text) : []),
    ];
  }

  private get host(): string {
    return this.sender.parseTarget(this.sender.example.target).host ?? this.sender.type;
  }
}

/** Checks that a text contains no secret, even in base64. @throws Error if it contains a secret */
function assertNoSecret(text: string | null, secrets: readonly string[], where: string): void {
  const words = (text ?? '').match(/[\w+/=-]{8,}/g) ?? [];
  const texts = [text ?? '', ...words.map((word) => Buffer.from(word, 'base64').toString())];
  assert.ok(!secrets.some((secret) => texts.some((one) => one.includes(secret))), `${where} has a secret in it`);
}

const TIMEOUT_MS = 5_000;

/** Each message is signed with two secrets, because a channel has two secrets while they are rotated. */
const SIGNING_SECRETS = [SigningSecret.generate(), SigningSecret.generate()];

function createMessage(
  sender: ChannelSender,
  { target, credential, changes = {} }: { target: string; credential: string | null; changes?: Partial<Message> },
): Message {
  return {
    deliveryId: 'dl_01jd6z0v8q3m4n5p6r7s8t9vwx',
    attempt: 1,
    sentAt: new Date(),
    channel: {
      id: 'nc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      accountId: 'acc_01jd6z0v8q3m4n5p6r7s8t9vwx',
      target,
      secrets: sender.secret === 'signing' ? SIGNING_SECRETS : [],
      credential,
      headers: {},
    },
    event: EXAMPLE_EVENTS['watchlist.available'],
    timeoutMs: TIMEOUT_MS,
    ...changes,
  };
}

const NEVER_TARGETS = [
  '',
  ' ',
  '\u0000',
  'x'.repeat(10_000),
  'https://',
  'http://hooks.example.test/x',
  'file:///etc/passwd',
  'https://10.0.0.1/x',
  'https://127.0.0.1/x',
  'https://169.254.169.254/latest',
  'https://[::1]/',
  'https://localhost/',
  'https://user:password@hooks.example.test/',
  'https://hooks.example.test:22/',
];

const TARGET_CHECKS: Readonly<Record<string, Check>> = {
  'has a type, a secret and an example for the API document': ({ sender }) => {
    assert.match(sender.type, CHANNEL_TYPE);
    assert.ok(['signing', 'account', 'none'].includes(sender.secret), `secret is ${sender.secret}`);
    assert.match(sender.example.about, /\w+ \w+/, 'example.about is not a sentence');
  },
  'accepts its example, and its canonical form as itself': ({ sender }) => {
    const { canonical } = sender.parseTarget(`  ${sender.example.target} `);
    assert.equal(sender.parseTarget(canonical).canonical, canonical);
    assert.equal(sender.parseTarget(sender.example.target).canonical, canonical, 'spaces around it matter');
  },
  'rejects what is no target, and addresses that are not public': ({ sender, options }) => {
    for (const text of [...NEVER_TARGETS, ...options.invalidTargets])
      assert.throws(() => sender.parseTarget(text), isTargetProblem, `accepts ${JSON.stringify(text.slice(0, 50))}`);
  },
  'masks a secret target': (subject) => {
    const { sender } = subject;
    if (!sender.hasSecretTarget) return;
    assert.ok(subject.secrets[0], 'the example has no part of 8 characters or more that could be its secret');
    assertNoSecret(maskTarget(sender.parseTarget(sender.example.target)), subject.secrets, 'the masked target');
  },
  'keeps a secret target out of its errors': (subject) => {
    const { sender } = subject;
    if (!sender.hasSecretTarget) return;
    const { target } = sender.example;
    for (const text of [`${target} x`, `x${target}`, target.replace('https:', 'http:'), `${target}\u0000`])
      assertCleanErrors(() => sender.parseTarget(text), subject.secrets);
  },
  'checks credentials, and keeps them out of its errors': ({ sender, options }) => {
    if (sender.secret !== 'account') return;
    assert.ok(options.credential, 'the options lack a credential that it accepts');
    assert.equal(typeof sender.parseCredential(options.credential), 'string');
    for (const text of options.invalidCredentials ?? []) {
      assert.throws(() => sender.parseCredential(text), DomainError, 'accepts one of invalidCredentials');
      if (text.length >= 8) assertCleanErrors(() => sender.parseCredential(text), [text]);
    }
  },
};

function isTargetProblem(error: unknown): boolean {
  return error instanceof TargetInvalid || error instanceof TargetNotAllowed;
}

function assertCleanErrors(parse: () => unknown, secrets: readonly string[]): void {
  try {
    parse();
  } catch (error) {
    assert.ok(error instanceof DomainError, `throws ${String(error)} instead of a DomainError`);
    assertNoSecret(`${error.message} ${JSON.stringify(error.details)}`, secrets, 'an error');
  }
}

const SHORT_TIMEOUT_MS = 300;
/** How much later than its limit a sender may report a timeout. The machine may be busy. */
const SLACK_MS = 3_000;
const MAX_EXCERPT_BYTES = 4_096;
const HTML = '<html><body><h1>502 Bad Gateway</h1></body></html>';
const REFUSALS = [400, 401, 403, 404, 422, 500, 503];

const SENDING_CHECKS: Readonly<Record<string, Check>> = {
  'sends an event of every type, each in one request': async (subject) => {
    for (const event of Object.values(EXAMPLE_EVENTS)) {
      const before = subject.receiver.received.length;
      assert.equal((await subject.send(undefined, { event })).outcome, 'ok', event.type);
      assert.equal(subject.receiver.received.length - before, 1, `requests for ${event.type}`);
    }
  },
  'sends the same body at each attempt, so that receivers recognize a repeat': async (subject) => {
    await subject.send();
    await subject.send(undefined, { attempt: 2, sentAt: new Date(Date.now() + 60_000) });
    const [first, second] = subject.receiver.received;
    assert.equal(second?.body, first?.body);
  },
  'keeps signing secrets out of requests': async (subject) => {
    if (subject.sender.secret !== 'signing') return;
    await subject.send();
    assertNoSecret(JSON.stringify(subject.receiver.received), subject.secrets, 'the request');
  },
  'reports an HTML page of a proxy as a retryable 502': async (subject) => {
    const outcome = await subject.send(replyWith(502, HTML, { 'content-type': 'text/html' }));
    assert.partialDeepStrictEqual(outcome, { outcome: 'http_error', responseStatus: 502, final: false });
  },
  'reports a reply that is no HTTP, or a lost connection, as retryable': async (subject) => {
    const garbage = await subject.send((response) => void response.socket?.end('220 mail.example.test ESMTP\r\n\r\n'));
    const reset = await subject.send((response) => void response.socket?.destroy());
    for (const outcome of [garbage, reset])
      assert.partialDeepStrictEqual(outcome, { outcome: 'connect', responseStatus: null, final: false });
  },
  'ends by itself when the receiver hangs': async (subject) => {
    subject.receiver.reply = () => undefined;
    const sent = subject.sender.send(subject.message({ timeoutMs: SHORT_TIMEOUT_MS }));
    const outcome = sent.then((attempt): string => attempt.outcome);
    assert.equal(await withTimeout(SHORT_TIMEOUT_MS + SLACK_MS, outcome, () => 'still waiting'), 'timeout');
  },
  'keeps at most 4 kB of a reply': async (subject) => {
    const { responseExcerpt } = await subject.send(replyWith(400, 'x'.repeat(1_000_000)));
    assert.ok(Buffer.byteLength(responseExcerpt ?? '') <= MAX_EXCERPT_BYTES);
  },
  'keeps no secret of a reply that repeats the request': async (subject) => {
    for (const status of [200, 400]) {
      const { responseExcerpt } = await subject.send((response, request) =>
        response.writeHead(status).end(JSON.stringify({ path: request.path, headers: request.headers })),
      );
      assertNoSecret(responseExcerpt, subject.secrets, 'the excerpt');
    }
  },
};

const STATUS_CHECKS: Readonly<Record<string, Check>> = {
  'takes no refusal for a success': async (subject) => {
    for (const status of REFUSALS) {
      const { outcome, responseStatus } = await subject.send(replyWith(status, 'no'));
      assert.deepEqual({ outcome, responseStatus }, { outcome: 'http_error', responseStatus: status });
    }
  },
  'retries what may pass: 429, 500, 503': async (subject) => {
    for (const status of [429, 500, 503])
      assert.equal((await subject.send(replyWith(status))).final, false, `${status} is final`);
  },
  'passes Retry-After on': async (subject) => {
    const { retryAfterMs } = await subject.send(replyWith(429, '', { 'retry-after': '120' }));
    assert.equal(retryAfterMs, 120_000);
  },
  'takes 410 for good: the channel ends': async (subject) => {
    const outcome = await subject.send(replyWith(410, 'gone'));
    assert.ok(whyGone(outcome) !== null && outcome.final, 'a 410 does not end the channel');
  },
  'follows no redirect': async (subject) => {
    const { outcome } = await subject.send(replyWith(307, '', { location: 'https://elsewhere.example.test/' }));
    assert.notEqual(outcome, 'ok');
    assert.equal(subject.receiver.received.length, 1, 'requests');
  },
};
