import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEM_TYPE } from '../platform/http/errors/problem-view.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

/** Refusals of more codes than this keep their place: a name made of all of them would help no reader. */
const MAX_CODES_IN_NAME = 3;

/**
 * Describes a refusal once that many operations share, and shows with each operation a 400 that it really gives. The
 * codes are in the description; what they mean is on their pages, `/problems/{code}`.
 */
export function withSharedErrorResponses(made: OpenAPIObject): OpenAPIObject {
  const document = structuredClone(made); // decorators share objects between operations
  const responses: NonNullable<OpenAPIObject['components']>['responses'] = { ...made.components?.responses };
  const shared = findShared(document);
  for (const [path, operations] of Object.entries(document.paths))
    for (const operation of Object.values(operations) as Operation[])
      for (const [status, response] of Object.entries(operation.responses)) {
        if (!isErrorResponse(response)) continue;
        const name = toResponseName(response);
        if (status === '400') showExample(response, path, operation);
        else if (name !== null && shared.has(JSON.stringify(response))) {
          responses[name] = response;
          operation.responses[status] = { $ref: `#/components/responses/${name}` };
        }
      }
  return { ...document, components: { ...document.components, responses } };
}

function findShared({ paths }: OpenAPIObject): ReadonlySet<string> {
  const all = Object.values(paths).flatMap((operations) =>
    (Object.values(operations) as Operation[]).flatMap(({ responses }) =>
      Object.values(responses).filter(isErrorResponse),
    ),
  );
  const alike = Map.groupBy(all, (response) => JSON.stringify(response));
  return new Set([...alike].filter(([, { length }]) => length > 1).map(([text]) => text));
}

function isErrorResponse(response: unknown): response is Response {
  return (response as Response).content?.[PROBLEM_TYPE] !== undefined;
}

/** `AuthenticationRequiredOrInvalidToken`. */
function toResponseName({ description }: Response): string | null {
  const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
  if (codes.length > MAX_CODES_IN_NAME) return null;
  const words = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return codes.map(words).join('Or');
}

/** The route made the example; only the document knows its path. */
function showExample(response: Response, path: string, operation: Operation): void {
  const media = response.content?.[PROBLEM_TYPE];
  if (media?.example) media.example = { ...(media.example as object), instance: toExampleInstance(path, operation) };
}

/** The path with an id of each kind. */
function toExampleInstance(path: string, { parameters = [] }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, wanted: string) => {
    const found = parameters.find((one) => 'name' in one && one.name === wanted);
    const pattern = (found as { schema?: { pattern?: string } } | undefined)?.schema?.pattern ?? '';
    return `${/^\^([a-z]+_)/.exec(pattern)?.[1] ?? ''}01jd6z0v8q3m4n5p6r7s8t9vwx`;
  });
}
