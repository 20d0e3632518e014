import { Command, InvalidArgumentError, Option } from 'commander';
import {
  DomainName,
  IcannSuffixes,
  listNameVariants,
  type NameVariant,
  VARIANT_KINDS,
  type VariantKind,
} from '../../domains/language.js';
import { parseList, parseWholeNumber } from '../terminal.js';

interface Options {
  readonly kinds: readonly VariantKind[];
  readonly max: number;
  readonly tlds?: readonly string[];
  readonly format: 'text' | 'csv' | 'ndjson';
  readonly tag: readonly string[];
  readonly json?: boolean;
}

const MAX_VARIANTS = 100_000;

export function variants(): Command {
  return new Command('variants')
    .argument('<domain>')
    .option('--kinds <list>', `of ${VARIANT_KINDS.join(', ')}, in this order`, parseKinds, VARIANT_KINDS)
    .option('--max <number>', 'list at most so many', parseWholeNumber(MAX_VARIANTS), 500)
    .option('--tlds <list>', 'the suffixes of the kind tld, comma-separated; all known TLDs without it', parseList)
    .addOption(
      new Option('--format <format>', 'csv and ndjson are for import')
        .choices(['text', 'csv', 'ndjson'])
        .default('text'),
    )
    .option('--tag <tag...>', 'tags of the entries, in csv and ndjson', [])
    .option('--json', 'one line of JSON with the kind of each')
    .action(async (domain: string, options: Options) => {
      const suffixes = new IcannSuffixes();
      const name = DomainName.parse(domain, suffixes);
      const { kinds, max } = options;
      const tlds = await findTlds(options);
      const found = listNameVariants(name, { kinds, tlds, max, suffixes });
      const text = await format(name, found, options);
      if (text !== '') console.log(text);
    });
}

async function findTlds({ kinds, tlds }: Options): Promise<readonly string[]> {
  if (tlds || !kinds.includes('tld')) return tlds ?? [];
  const { builtInTlds } = await import('../../domains/index.js');
  return builtInTlds();
}

async function format(name: DomainName, found: readonly NameVariant[], options: Options): Promise<string> {
  if (options.json) {
    const data = found.map((variant) => ({ domain: variant.name.ascii, kind: variant.kind }));
    return JSON.stringify({ domain: name.ascii, data });
  }
  if (options.format === 'text') return found.map((variant) => variant.name.ascii).join('\n');
  const entries = found.map((variant) => ({
    domain: variant.name.ascii,
    tags: options.tag,
    note: `${variant.kind} of ${name.ascii}${variant.name.unicode === variant.name.ascii ? '' : `: ${variant.name.unicode}`}`,
  }));
  if (options.format === 'ndjson') return entries.map((entry) => JSON.stringify(entry)).join('\n');
  const { stringify } = await import('csv-stringify/sync');
  const { formatTags } = await import('../../watchlist/views.js');
  const rows = entries.map((entry) => ({ ...entry, tags: formatTags(entry.tags) }));
  return stringify(rows, { header: true, columns: ['domain', 'tags', 'note'] }).trimEnd();
}

function parseKinds(text: string): readonly VariantKind[] {
  const kinds = parseList(text);
  const known: readonly string[] = VARIANT_KINDS;
  if (!kinds.every((kind) => known.includes(kind))) throw new InvalidArgumentError(`the kinds are ${known.join(', ')}`);
  return kinds as readonly VariantKind[];
}
