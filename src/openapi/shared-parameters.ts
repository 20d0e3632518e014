import type { OpenAPIObject } from '@nestjs/swagger';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = Exclude<NonNullable<Operation['parameters']>[number], { $ref: string }>;

/**
 * Describes a query or header parameter once that several operations have alike. Path parameters stay with their path,
 * as do those that mean something else under the name of a shared one.
 */
export function withSharedParameters(document: OpenAPIObject): OpenAPIObject {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Operation[]);
  const shared = findShared(operations);
  for (const operation of operations)
    operation.parameters &&= operation.parameters.map((parameter) => {
      const name = isShareable(parameter) ? toParameterName(parameter) : '';
      const isShared = JSON.stringify(shared[name]) === JSON.stringify(parameter);
      return isShared ? { $ref: `#/components/parameters/${name}` } : parameter;
    });
  const parameters = { ...document.components?.parameters, ...shared };
  return { ...document, components: { ...document.components, parameters } };
}

/** By name; of several under one name, the one that most operations have. */
function findShared(operations: readonly Operation[]): Readonly<Record<string, Parameter>> {
  const all = operations.flatMap(({ parameters = [] }) => parameters.filter(isShareable));
  const alike = [...Map.groupBy(all, (parameter) => JSON.stringify(parameter)).values()];
  const repeated = alike.filter(({ length }) => length > 1).sort((one, other) => one.length - other.length);
  return Object.fromEntries(repeated.flatMap(([one]) => (one ? [[toParameterName(one), one] as const] : [])));
}

function isShareable(parameter: object): parameter is Parameter {
  return 'in' in parameter && parameter.in !== 'path';
}

/** `Idempotency-Key` is `IdempotencyKey`, and `per_page` `PerPage`. */
function toParameterName({ name }: Parameter): string {
  return name.replace(/(?:^|[-_])(\w)/g, (_, letter: string) => letter.toUpperCase());
}
