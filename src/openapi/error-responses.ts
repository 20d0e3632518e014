import type { OpenAPIObject } from '@nestjs/swagger';
import { PROBLEM_TYPE } from '../platform/http/errors/problem-view.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Response = Exclude<NonNullable<Operation['responses'][string]>, { $ref: string }>;

/** Refusals of more codes than this keep their place: a name made of all of them would help no reader. */
const CODES_IN_A_NAME = 3;

/**
 * Describes a refusal once that many operations share, and shows with each operation a 400 that it really gives. The
 * codes are in the description; what they mean is on their pages, `/problems/{code}`.
 */
export function withRefusals(made: OpenAPIObject): OpenAPIObject {
  const document = structuredClone(made); // decorators share objects between operations
  const responses: NonNullable<OpenAPIObject['components']>['responses'] = { ...made.components?.responses };
  const shared = sharedIn(document);
  for (const [path, operations] of Object.entries(document.paths))
    for (const operation of Object.values(operations) as Operation[])
      for (const [status, response] of Object.entries(operation.responses)) {
        if (!isRefusal(response)) continue;
        const name = nameOf(response);
        if (status === '400') showExample(response, path, operation);
        else if (name !== null && shared.has(JSON.stringify(response))) {
          responses[name] = response;
          operation.responses[status] = { $ref: `#/components/responses/${name}` };
        }
      }
  return { ...document, components: { ...document.components, responses } };
}

function sharedIn({ paths }: OpenAPIObject): ReadonlySet<string> {
  const all = Object.values(paths).flatMap((operations) =>
    (Object.values(operations) as Operation[]).flatMap(({ responses }) => Object.values(responses).filter(isRefusal)),
  );
  const alike = Map.groupBy(all, (response) => JSON.stringify(response));
  return new Set([...alike].filter(([, { length }]) => length > 1).map(([text]) => text));
}

function isRefusal(response: unknown): response is Response {
  return (response as Response).content?.[PROBLEM_TYPE] !== undefined;
}

/** `AuthenticationRequiredOrInvalidToken`. */
function nameOf({ description }: Response): string | null {
  const codes = [...description.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
  if (codes.length > CODES_IN_A_NAME) return null;
  const words = (code: string) => code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return codes.map(words).join('Or');
}

/** The route made the example; only the document knows its path. */
function showExample(response: Response, path: string, operation: Operation): void {
  const media = response.content?.[PROBLEM_TYPE];
  if (media?.example) media.example = { ...(media.example as object), instance: instanceOf(path, operation) };
}

/** The path with an id of each kind. */
function instanceOf(path: string, { parameters = [] }: Operation): string {
  return path.replace(/\{(\w+)\}/g, (_, wanted: string) => {
    const found = parameters.find((one) => 'name' in one && one.name === wanted);
    const pattern = (found as { schema?: { pattern?: string } } | undefined)?.schema?.pattern ?? '';
    return `${/^\^([a-z]+_)/.exec(pattern)?.[1] ?? ''}01jd6z0v8q3m4n5p6r7s8t9vwx`;
  });
}
