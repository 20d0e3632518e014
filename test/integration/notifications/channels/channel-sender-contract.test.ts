import { describe, expect, it } from '@jest/globals';
import { SlackSender } from '../../../../examples/slack-channel/src/slack-sender.js';
import {
  accepted,
  type AttemptOutcome,
  CredentialInvalid,
  failed,
  HttpChannelSender,
  type HttpReply,
  type HttpRequest,
  type Message,
  type Target,
  TargetInvalid,
} from '../../../../src/notifications/index.js';
import { WebhookSender } from '../../../../src/notifications/channels/webhook-sender.js';
import { channelSenderContract, type ChannelSenderContractOptions } from '../../../../src/testing.js';
import { PushSender } from '../../../support/fakes/push-sender.js';

type Create = ChannelSenderContractOptions['create'];

const CREDENTIAL = 'pt_0123456789abcdefghijklmn';
const webhook = {
  create: (http, units) => new WebhookSender(http, units),
  invalidTargets: ['nonsense'],
} as const satisfies ChannelSenderContractOptions;
const slack = {
  create: (http, units) => new SlackSender(http, units),
  invalidTargets: ['https://hooks.slack.com/'],
} as const satisfies ChannelSenderContractOptions;
const push = {
  create: (http, units) => new PushSender(http, units),
  invalidTargets: ['nonsense'],
  credential: CREDENTIAL,
  invalidCredentials: ['', 'pt_short', 'another-0123456789abcdefghij'],
} as const satisfies ChannelSenderContractOptions;

/** Sends as an extension may. */
class PutSender extends HttpChannelSender {
  readonly type = 'acme.register';
  readonly secret = 'none';
  readonly example = { target: 'https://register.example.test/names', about: 'Keeps a register of changes' };

  protected toRequest({ channel, event }: Message): HttpRequest {
    return { method: 'PUT', url: `${channel.target}/${event.id}`, headers: {}, body: event.body };
  }
}
const put = {
  create: (http, units) => new PutSender(http, units),
  invalidTargets: ['nonsense'],
} as const satisfies ChannelSenderContractOptions;

describe.each([
  ['webhook', webhook],
  ['put', put],
  ['slack', slack],
  ['push', push],
])('the channel type %s', (_, options) => {
  it.each(channelSenderContract(options).map(({ name, run }) => [name, run] as const))('%s', (_, run) => run());
});

/** The names of the cases that fail. */
const failuresOf = async (options: ChannelSenderContractOptions) => {
  const failures: string[] = [];
  for (const { name, run } of channelSenderContract(options)) await run().catch(() => failures.push(name));
  return failures;
};

class TakesRedirects extends WebhookSender {
  protected override toOutcome({ status, excerpt, retryAfterMs }: HttpReply): AttemptOutcome {
    if (status < 400) return accepted(status, excerpt);
    return failed('http_error', {
      responseStatus: status,
      responseExcerpt: excerpt,
      retryAfterMs,
      final: status === 410,
    });
  }
}
class EndsOnAnyRefusal extends WebhookSender {
  protected override toOutcome(reply: HttpReply): AttemptOutcome {
    return { ...super.toOutcome(reply), final: reply.status >= 400 };
  }
}
class IgnoresRetryAfter extends WebhookSender {
  protected override toOutcome(reply: HttpReply): AttemptOutcome {
    return { ...super.toOutcome(reply), retryAfterMs: null };
  }
}
class ReadsHtmlAsJson extends WebhookSender {
  protected override toOutcome(reply: HttpReply): AttemptOutcome {
    if (reply.excerpt !== null) JSON.parse(reply.excerpt);
    return super.toOutcome(reply);
  }
}
class NeverGivesUp extends WebhookSender {
  override async send(message: Message): Promise<AttemptOutcome> {
    const outcome = await super.send(message);
    return outcome.outcome === 'timeout' ? new Promise<never>(() => undefined) : outcome;
  }
}
class SendsTheTime extends WebhookSender {
  protected override toRequest(message: Message): HttpRequest {
    return { ...super.toRequest(message), body: JSON.stringify({ sentAt: message.sentAt }) };
  }
}
class SendsInPlainText extends WebhookSender {
  protected override toRequest(message: Message): HttpRequest {
    const request = super.toRequest(message);
    return { ...request, url: request.url.replace('https:', 'http:') };
  }
}
class ShowsTheTarget extends SlackSender {
  override parseTarget(text: string): Target {
    const target = super.parseTarget(text);
    return { ...target, masked: target.canonical };
  }
}
class RepeatsTheTarget extends SlackSender {
  override parseTarget(text: string): Target {
    try {
      return super.parseTarget(text);
    } catch {
      throw new TargetInvalid(`${text} is no target`);
    }
  }
}
class RepeatsTheCredential extends PushSender {
  override parseCredential(text: string): string {
    if (!text.startsWith('pt_')) throw new CredentialInvalid(`${text} is no token`);
    return super.parseCredential(text);
  }
}
class EncodesTheCredential extends PushSender {
  protected override toRequest(message: Message): HttpRequest {
    const authorization = `Basic ${Buffer.from(`user:${message.channel.credential}`).toString('base64')}`;
    return { ...super.toRequest(message), headers: { authorization } };
  }
}
class TakesAnyUrl extends PushSender {
  override parseTarget(text: string): Target {
    return { asSent: text, canonical: text };
  }
}

const REPLIES_MEAN = {
  redirect: 'follows no redirect',
  retried: 'retries what may pass: 429, 500, 503',
  html: 'reports an HTML page of a proxy as a retryable 502',
};

describe('the contract test fails for a sender that', () => {
  it.each<[string, Create, Partial<ChannelSenderContractOptions>, string]>([
    ['counts a redirect as a success', (...given) => new TakesRedirects(...given), webhook, REPLIES_MEAN.redirect],
    ['stops forever after any refusal', (...given) => new EndsOnAnyRefusal(...given), webhook, REPLIES_MEAN.retried],
    ['ignores Retry-After', (...given) => new IgnoresRetryAfter(...given), webhook, 'passes Retry-After on'],
    ['throws on an HTML page', (...given) => new ReadsHtmlAsJson(...given), webhook, REPLIES_MEAN.html],
    [
      'never gives up on a hanging receiver',
      (...given) => new NeverGivesUp(...given),
      webhook,
      'ends by itself when the receiver hangs',
    ],
    ['sends over plain http', (...given) => new SendsInPlainText(...given), webhook, 'sends an event of every type'],
    [
      'changes the body when it sends again',
      (...given) => new SendsTheTime(...given),
      webhook,
      'sends the same body at each attempt',
    ],
    ['shows a secret target', (...given) => new ShowsTheTarget(...given), slack, 'masks a secret target'],
    [
      'puts a secret target into an error',
      (...given) => new RepeatsTheTarget(...given),
      slack,
      'keeps a secret target out',
    ],
    ['puts a credential into an error', (...given) => new RepeatsTheCredential(...given), push, 'checks credentials'],
    [
      'keeps an encoded credential',
      (...given) => new EncodesTheCredential(...given),
      push,
      'keeps no secret of a reply',
    ],
    ['accepts any target', (...given) => new TakesAnyUrl(...given), push, 'rejects what is no target'],
  ])('%s', async (_, create, options, caught) => {
    const failures = await failuresOf({ invalidTargets: [], ...options, create });
    expect(failures).toContainEqual(expect.stringContaining(caught));
  });
});
