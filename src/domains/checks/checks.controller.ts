import { Controller, Get, Query, Res, Body, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags, ApiBody, ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import { type Caller, CurrentCaller, grants, InsufficientScope } from '../../auth/index.js';
import { RequiresScope } from '../../auth/views.js';
import { accepts, NDJSON } from '../../platform/http/request.js';
import { ApiProblems } from '../../platform/http/errors/api-problems.js';
import { NAME_REFUSALS, REGISTRY_FAILURES } from '../../platform/http/errors/problem-catalogue.js';
import { CheckDomain, type CheckOutcome, type CheckResult } from './check-domain.js';
import { RegistryLookupError, toCheckView } from './check-views.js';
import { CHECK_EXAMPLES, CheckQuery, CheckView, type Expansion } from './check.dto.js';
import { Clock } from '../../kernel/clock.js';
import { ListedDrops } from '../drop-lists/drop-list-source.js';
import { requestProblem } from '../../platform/http/errors/problem.filter.js';
import { sendJsonLines } from '../../platform/http/json-lines.js';
import { CheckMany, type InvalidName, type NameOutcome } from './check-many.js';
import { WatchlistLink } from '../watchlist-link.js';
import { DomainName, parseDomainLabel } from '../domain/name/domain-name.js';
import {
  BULK_BODY_EXAMPLES,
  BULK_BODY_SCHEMA,
  BULK_EXAMPLES,
  BULK_STREAM_EXAMPLE,
  BulkCheckBody,
  type BulkCheckItem,
  type BulkCheckMeta,
  BulkCheckQuery,
  BulkCheckView,
  CheckManyBody,
  LabelCheckBody,
  type StreamedItem,
} from './bulk-check.dto.js';

@ApiTags('Domains')
@Controller('v1/domains')
export class ChecksController {
  constructor(
    private readonly checks: CheckDomain,
    private readonly bulkChecks: CheckMany,
    private readonly listedDrops: ListedDrops,
    private readonly clock: Clock,
    private readonly link: WatchlistLink,
  ) {}

  @Get('check')
  @RequiresScope('domains:read')
  @ApiOperation({ operationId: 'checkDomain', summary: 'Check whether a domain can be registered' })
  @ApiOkResponse({
    description: 'The status of the domain at its registry.',
    type: CheckView,
    examples: CHECK_EXAMPLES,
    headers: { Age: { description: 'Seconds since the registry was queried.', schema: { type: 'integer' } } },
  })
  @ApiProblems('invalid_request', ...NAME_REFUSALS, ...REGISTRY_FAILURES)
  async check(
    @CurrentCaller() caller: Caller,
    @Query() query: CheckQuery,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CheckView> {
    const { domain, max_age: maxAgeSeconds, expand = [] } = query;
    const name = this.checks.parse(domain);
    const entryIds = await this.findEntryIds(caller, [name], expand);
    const outcome = await this.checks.check(name, { accountId: caller.account.id, maxAgeSeconds });
    if (outcome.kind === 'failure') throw new RegistryLookupError(outcome, expand.includes('evidence'));
    void reply.header('age', outcome.ageSeconds);
    return this.toView(outcome, expand, entryIds);
  }

  @Post('check')
  @HttpCode(200)
  @RequiresScope('domains:read')
  @ApiOperation({
    operationId: 'checkDomains',
    summary: 'Check whether many domains can be registered',
    description:
      'With `Accept: application/x-ndjson` each item is sent as soon as it is known, with its `index` in the request, and ' +
      '`meta` is the last line. If it breaks off, the last line is a problem. When its client leaves, no further name is looked up.',
  })
  @ApiExtraModels(BulkCheckBody, LabelCheckBody, BulkCheckView)
  @ApiBody({ schema: BULK_BODY_SCHEMA, examples: BULK_BODY_EXAMPLES })
  @ApiOkResponse({
    description: 'A result or a problem for each name, within 25 seconds for all of them.',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(BulkCheckView) }, examples: BULK_EXAMPLES },
      [NDJSON]: { schema: { type: 'string' }, example: BULK_STREAM_EXAMPLE },
    },
  })
  @ApiProblems('too_many_domains', 'domain_malformed', 'label_too_long')
  async checkMany(
    @CurrentCaller() caller: Caller,
    @Query() { max_age: maxAgeSeconds, expand = [] }: BulkCheckQuery,
    @Body() body: CheckManyBody,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<BulkCheckView | Readable> {
    const { field, domains } = toNames(body);
    caller.account.plan.requireBulkSize(domains.length, field);
    const names = domains.map((domain) => this.bulkChecks.parse(domain));
    const valid = names.filter((name) => name instanceof DomainName);
    const entryIds = await this.findEntryIds(caller, valid, expand);
    const outcomes = this.bulkChecks.stream(names, { accountId: caller.account.id, maxAgeSeconds });
    const toStreamedItem = ({ index, outcome }: NameOutcome): StreamedItem => {
      const domain = domains[index] ?? '';
      return { index, domain, ...this.toItem(outcome, `/${field}/${index}`, expand, request, entryIds) };
    };
    if (accepts(request, NDJSON)) return sendJsonLines(withCounts(outcomes, toStreamedItem), request, reply);
    const data: BulkCheckItem[] = [];
    for await (const outcome of outcomes) {
      const { index, ...item } = toStreamedItem(outcome);
      data[index] = item;
    }
    return { data, meta: countItems(data) };
  }

  private findEntryIds(
    { account, scopes }: Caller,
    names: readonly DomainName[],
    expand: readonly Expansion[],
  ): Promise<EntryIds> {
    if (!expand.includes('entry')) return Promise.resolve(new Map());
    if (!grants(scopes, 'watchlist:read')) throw new InsufficientScope('watchlist:read');
    return this.link.watchlist.findEntryIds(account.id, names);
  }

  private toItem(
    outcome: CheckOutcome | InvalidName,
    pointer: string,
    expand: readonly Expansion[],
    request: FastifyRequest,
    entryIds: EntryIds,
  ): Omit<BulkCheckItem, 'domain'> {
    if (outcome.kind === 'result') return { result: this.toView(outcome, expand, entryIds), error: null };
    const error =
      outcome.kind === 'refused' ? outcome.error : new RegistryLookupError(outcome, expand.includes('evidence'));
    const { errors, ...body } = requestProblem(error, request).body;
    // The pointer names the list item that contains the name.
    const pointed = Array.isArray(errors) && {
      errors: errors.map((one: object) => ({ ...one, pointer })),
    };
    return { result: null, error: { ...body, ...pointed } };
  }

  private toView(result: CheckResult, expand: readonly Expansion[], entryIds: EntryIds): CheckView {
    const { ascii } = result.name;
    const context = {
      now: this.clock.now(),
      listing: this.listedDrops.find(ascii),
      entryId: entryIds.get(ascii) ?? null,
    };
    return toCheckView(result, expand, context);
  }
}

/** The ids of the caller's watchlist entries, by A-label. */
type EntryIds = ReadonlyMap<string, string>;

function countItems(items: readonly Pick<BulkCheckItem, 'error'>[]): BulkCheckMeta {
  const failed = items.filter(({ error }) => error !== null).length;
  return { total: items.length, answered: items.length - failed, failed };
}

/**
 * Returns the names to check, and the request field that contains them.
 * @throws InvalidDomainNameError if the label is invalid
 */
function toNames({ domains, label = '', tlds = [] }: CheckManyBody): { field: string; domains: readonly string[] } {
  if (domains) return { field: 'domains', domains };
  parseDomainLabel(label);
  return { field: 'tlds', domains: tlds.map((tld) => `${label.trim()}.${tld}`) };
}

async function* withCounts(
  outcomes: AsyncIterable<NameOutcome>,
  toStreamedItem: (outcome: NameOutcome) => StreamedItem,
): AsyncGenerator<object, void, void> {
  const sent: Pick<BulkCheckItem, 'error'>[] = [];
  for await (const outcome of outcomes) {
    const item = toStreamedItem(outcome);
    sent.push({ error: item.error });
    yield item;
  }
  yield { meta: countItems(sent) };
}
