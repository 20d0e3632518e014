import { ApiProperty } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  ChoiceListField,
  QueryIntegerField,
  SINGLE_LINE_PATTERN,
  TextField,
  TextListField,
} from '../../platform/http/validation/fields.js';
import { VARIANT_KINDS, type VariantKind } from '../domain/variants/name-variants.js';

const MAX_VARIANTS = 1_000;
const MAX_TLDS = 100;

/** Turns a parameter that occurs once into a list. */
const toList = ({ value }: { value: unknown }): unknown => (typeof value === 'string' ? [value] : value);

export class VariantsQuery {
  @TextField({ example: 'registered.test', maxLength: 1_024, description: 'Fully qualified domain name.' })
  domain: string;

  @ChoiceListField({
    items: { enum: VARIANT_KINDS },
    uniqueItems: true,
    description: 'Only variants of this kind; repeat it for several, in the order of the answer. All kinds without it.',
    optional: true,
  })
  @Transform(toList)
  kind?: readonly VariantKind[];

  @TextListField({
    items: { minLength: 1, maxLength: 253, pattern: SINGLE_LINE_PATTERN },
    maxItems: MAX_TLDS,
    description:
      'A suffix for the kind `tld`, such as `co.uk`; repeat it for several. All TLDs of the service without it.',
    optional: true,
  })
  @Transform(toList)
  tld?: readonly string[];

  @QueryIntegerField({ minimum: 1, maximum: MAX_VARIANTS, default: 100, description: 'List at most so many.' })
  max = 100;
}

export class VariantView {
  @ApiProperty({ example: 'regitsered.test', description: 'As its A-label.' }) domain: string;
  @ApiProperty({ example: 'regitsered.test', description: 'In Unicode, as people read it.' }) domain_unicode: string;
  @ApiProperty({
    enum: VARIANT_KINDS,
    description: '`typo`: a slip of the fingers. `homoglyph`: letters that look alike. `tld`: below another suffix.',
  })
  kind: VariantKind;
}

export class VariantsView {
  @ApiProperty({ example: 'registered.test', description: 'The domain whose variants these are, as its A-label.' })
  domain: string;
  @ApiProperty({ type: [VariantView], description: 'By kind, never the domain itself.' }) data: VariantView[];
}

export const VARIANTS_EXAMPLES = {
  some: {
    summary: 'Three of registered.test',
    value: {
      domain: 'registered.test',
      data: [
        { domain: 'egistered.test', domain_unicode: 'egistered.test', kind: 'typo' },
        { domain: 'regisfered.test', domain_unicode: 'regisfered.test', kind: 'typo' },
        { domain: 'xn--rgistered-b4a.test', domain_unicode: 'r\u00e9gistered.test', kind: 'homoglyph' },
      ],
    } satisfies VariantsView,
  },
};
