import type { ChannelType, Extension, OpenChannelBody } from '../../../../clients/typescript/src/index.js';

type Format = NonNullable<OpenChannelBody['format']>;

/** A kind of channel, as the form for a new channel offers it. */
export interface ChannelKind {
  readonly key: string;
  readonly label: string;
  readonly type: string;
  readonly format?: Format;
  readonly targetLabel: string;
  readonly placeholder: string;
  /** How an extension describes its type. Missing for the service's own types. */
  readonly about?: string;
  /** Where to find the target, and what happens after adding it. */
  readonly hint: string;
  /** Whether to keep the placeholder's text visible after typing, since it explains the form of the target. */
  readonly isFormShown: boolean;
  readonly takesHeaders: boolean;
  readonly takesCredential: boolean;
}

type Chat = Pick<ChannelKind, 'label' | 'placeholder' | 'hint'> & Partial<Pick<ChannelKind, 'takesHeaders'>>;

const CHATS = {
  slack: {
    label: 'Slack',
    placeholder: 'https://hooks.slack.com/services/T…/B…/…',
    hint: 'The URL of an incoming webhook of Slack, Mattermost or Rocket.Chat.',
  },
  discord: {
    label: 'Discord',
    placeholder: 'https://discord.com/api/webhooks/…/…',
    hint: 'Server settings, Integrations, Webhooks. “?thread_id=” at its end posts to a thread.',
  },
  teams: {
    label: 'Microsoft Teams',
    placeholder: 'https://….logic.azure.com/workflows/…',
    hint: 'A workflow that starts when a Teams webhook request is received.',
  },
  google_chat: {
    label: 'Google Chat',
    placeholder: 'https://chat.googleapis.com/v1/spaces/…/messages?key=…&token=…',
    hint: 'The URL of a webhook of a space, with its key and token.',
  },
  telegram: {
    label: 'Telegram',
    placeholder: 'https://api.telegram.org/bot<token>/sendMessage?chat_id=<chat>',
    hint: 'The token of your bot and the id of the chat that it is in.',
  },
  ntfy: {
    label: 'ntfy',
    placeholder: 'https://ntfy.sh/<topic>',
    hint: 'A topic of ntfy.sh or of a server of your own; a protected one takes the header “authorization”.',
    takesHeaders: true,
  },
  pagerduty: {
    label: 'PagerDuty',
    placeholder: 'https://events.pagerduty.com/v2/enqueue?routing_key=<integration key>',
    hint: 'An Events API v2 integration. Alerts open and resolve by themselves.',
  },
  apprise: {
    label: 'Apprise',
    placeholder: 'https://<server>/notify/<configuration>',
    hint: 'An Apprise API server of your own, for more than a hundred other services.',
    takesHeaders: true,
  },
} as const satisfies Readonly<Record<Format, Chat>>;

export const CHANNEL_KINDS: readonly ChannelKind[] = [
  {
    key: 'email',
    label: 'Email',
    type: 'email',
    targetLabel: 'Email address',
    isFormShown: false,
    takesHeaders: false,
    takesCredential: false,
    placeholder: 'you@example.com',
    hint: 'The address gets one mail with a link, and nothing else until the link is confirmed.',
  },
  {
    key: 'webhook',
    label: 'Signed webhook',
    type: 'webhook',
    targetLabel: 'HTTPS URL',
    isFormShown: false,
    takesHeaders: true,
    takesCredential: false,
    placeholder: 'https://hooks.example.com/namewatch',
    hint: 'Your own receiver. Events are signed by Standard Webhooks; the signing secret is shown once.',
  },
  ...(Object.entries(CHATS) as [Format, Chat][]).map(([format, chat]) => toKind(format, chat)),
];

function toKind(format: Format, { takesHeaders = false, hint, ...chat }: Chat): ChannelKind {
  const secret = 'The URL is a secret: it is sealed and never shown whole again.';
  return {
    ...chat,
    key: format,
    type: 'webhook',
    format,
    targetLabel: 'Webhook URL',
    isFormShown: true,
    takesHeaders,
    takesCredential: false,
    hint: `${hint} ${secret}`,
  };
}

export function extensionKinds(extensions: readonly Extension[]): ChannelKind[] {
  return extensions.flatMap(({ channel_types: types }) => types.map(toExtensionKind));
}

function toExtensionKind({ type, about, secret, fields }: ChannelType): ChannelKind {
  const find = (name: ChannelType['fields'][number]['name']) => fields.find((field) => field.name === name);
  const target = find('target');
  const hints = [
    target?.secret === true && 'The target is a secret: it is sealed and never shown whole again.',
    secret === 'signing' && 'Each request is signed; you see the signing secret once.',
  ];
  return {
    key: `extension ${type}`, // unique, since a format may have the same name
    label: `${type}: ${about}`.slice(0, 80),
    type,
    targetLabel: 'Target',
    placeholder: target?.example ?? '',
    about,
    hint: hints.filter((hint) => hint !== false).join(' '),
    isFormShown: true,
    takesHeaders: find('headers') !== undefined,
    takesCredential: find('credential') !== undefined,
  };
}

/** Returns the label of a channel's kind. For an extension's type, returns the type itself. */
export function kindLabel({ type, format }: { readonly type: string; readonly format?: string | null }): string {
  const kind = CHANNEL_KINDS.find((one) => one.type === type && (one.format ?? null) === (format ?? null));
  return kind?.label ?? type;
}
