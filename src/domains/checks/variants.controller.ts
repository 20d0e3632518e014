import { Controller, Get, Query } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RequiresScope } from '../../auth/views.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { NAME_REFUSALS } from '../../platform/http/errors/problem-catalogue.js';
import { DomainName, PublicSuffixes } from '../domain/name/domain-name.js';
import { findNameVariants, VARIANT_KINDS } from '../domain/variants/name-variants.js';
import { LookupSources } from '../sources/lookup-sources.js';
import { VARIANTS_EXAMPLES, VariantsQuery, VariantsView, type VariantView } from './variants.dto.js';

/** After this many names, the loop pauses so that the process can serve other requests. */
const YIELD_EVERY_NAMES = 25;

@ApiTags('Domains')
@Controller('v1/domains/variants')
export class VariantsController {
  constructor(
    private readonly suffixes: PublicSuffixes,
    private readonly sources: LookupSources,
  ) {}

  @Get()
  @RequiresScope('domains:read')
  @ApiOperation({
    operationId: 'listDomainVariants',
    summary: 'List the names that people mistake for a domain, or type instead',
    description:
      'Typing mistakes, letters that look alike, and the label below other TLDs, each once. No registry is asked: whether ' +
      'they can be registered is for a check to say.',
  })
  @ApiOkResponse({
    description: 'The variants, always in the same order.',
    type: VariantsView,
    examples: VARIANTS_EXAMPLES,
  })
  @ApiProblems('invalid_request', ...NAME_REFUSALS)
  async list(@Query() { domain, kind: kinds = VARIANT_KINDS, tld, max }: VariantsQuery): Promise<VariantsView> {
    const name = DomainName.parse(domain, this.suffixes);
    const data: VariantView[] = [];
    const rules = { kinds, tlds: tld ?? this.servedTlds(), max, suffixes: this.suffixes };
    for (const variant of findNameVariants(name, rules)) {
      data.push({ domain: variant.name.ascii, domain_unicode: variant.name.unicode, kind: variant.kind });
      if (data.length % YIELD_EVERY_NAMES === 0) await new Promise(setImmediate);
    }
    return { domain: name.ascii, data };
  }

  private servedTlds(): readonly string[] {
    return [...new Set(this.sources.findServedTlds().map(({ tld }) => tld))].sort();
  }
}
