import { ApiProperty } from '@nestjs/swagger';
import type { LookupSource } from '../domains/index.js';
import type { ChannelSecret, ChannelSender } from '../notifications/index.js';

export class ChannelFieldView {
  @ApiProperty({
    enum: ['target', 'credential', 'headers'],
    example: 'target',
    description: 'The member of the body of `POST /v1/notifications`.',
  })
  name: 'target' | 'credential' | 'headers';
  @ApiProperty({ description: 'Whether a channel cannot be added without it.' }) required: boolean;
  @ApiProperty({ description: 'Whether it is sealed at rest, and masked or missing in answers.' }) secret: boolean;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'https://pager.example.test/teams/42',
    description: 'A made-up value; null where the extension gives none.',
  })
  example: string | null;
}

export class ChannelTypeView {
  @ApiProperty({ example: 'pager', description: 'The `type` of its channels.' }) type: string;
  @ApiProperty({ example: 'Pages a team', description: 'In the words of the extension.' }) about: string;
  @ApiProperty({
    enum: ['signing', 'account', 'none'],
    description:
      'The secret of a channel. signing: generated here, shown once. account: the account sends it as `credential`. none.',
  })
  secret: ChannelSecret;
  @ApiProperty({ type: [ChannelFieldView], description: 'The fields that an account gives, beside filters.' })
  fields: ChannelFieldView[];
}

export class LookupSourceView {
  @ApiProperty({ example: 'pager', description: 'The `source` of its evidence.' }) name: string;
  @ApiProperty({
    enum: ['only', 'first'],
    description: 'only: its answer is final. first: what it does not find is put to the next source too.',
  })
  role: LookupSource['role'];
  @ApiProperty({
    type: [String],
    example: ['test'],
    description: 'The TLDs that it serves at the moment, as A-labels.',
  })
  tlds: string[];
}

export class ExtensionLinkView {
  @ApiProperty({ example: 'Pages', description: 'The title of the page, in the extension’s words.' }) label: string;
  @ApiProperty({ example: '/v1/x/pager', description: 'To be asked with GET; below the address of this service.' })
  path: string;
  @ApiProperty({ description: 'Whether it needs no key, so that a browser can open it.' }) public: boolean;
}

export class ExtensionView {
  @ApiProperty({ example: 'pager' }) name: string;
  @ApiProperty({ type: String, nullable: true, example: '1.2.0', description: 'Of its package; null: unknown.' })
  version: string | null;
  @ApiProperty({ type: [ChannelTypeView] }) channel_types: ChannelTypeView[];
  @ApiProperty({ type: [LookupSourceView] }) lookup_sources: LookupSourceView[];
  @ApiProperty({
    type: [String],
    example: ['pager:read'],
    description: 'The scopes of its routes, which a key may have.',
  })
  scopes: string[];
  @ApiProperty({ type: [ExtensionLinkView], description: 'Those that the caller may read.' })
  links: ExtensionLinkView[];
}

export class ExtensionsView {
  @ApiProperty({ type: [ExtensionView], description: 'In the order in which they apply.' }) data: ExtensionView[];
}

export function toChannelTypeView({
  type,
  secret,
  example,
  hasSecretTarget,
  supportsHeaders,
}: ChannelSender): ChannelTypeView {
  const credential = { name: 'credential', required: true, secret: true, example: null } as const;
  const headers = { name: 'headers', required: false, secret: true, example: null } as const;
  return {
    type,
    about: example.about,
    secret,
    fields: [
      { name: 'target', required: true, secret: hasSecretTarget, example: example.target },
      ...(secret === 'account' ? [credential] : []),
      ...(supportsHeaders ? [headers] : []),
    ],
  };
}

const PAGER: ExtensionView = {
  name: 'pager',
  version: '1.2.0',
  channel_types: [
    {
      type: 'pager',
      about: 'Pages a team',
      secret: 'account',
      fields: [
        { name: 'target', required: true, secret: false, example: 'https://pager.example.test/teams/42' },
        { name: 'credential', required: true, secret: true, example: null },
      ],
    },
  ],
  lookup_sources: [{ name: 'pager', role: 'first', tlds: ['test'] }],
  scopes: ['pager:read'],
  links: [{ label: 'Pages', path: '/v1/x/pager', public: false }],
};

export const EXTENSIONS_EXAMPLES = {
  none: { summary: 'No extension', value: { data: [] } satisfies ExtensionsView },
  one: { summary: 'An extension with all of it', value: { data: [PAGER] } satisfies ExtensionsView },
};
