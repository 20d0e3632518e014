/** A lint rule that refuses every node which one of the selectors matches. */
const refuse = (message, ...selectors) => ({
  meta: { type: 'problem', schema: [], messages: { refused: message } },
  create: (context) =>
    Object.fromEntries(
      selectors.map((selector) => [selector, (node) => context.report({ node, messageId: 'refused' })]),
    ),
});

/** Calls that send SQL text to the database: node-postgres, MikroORM, Kysely and our own statements. */
const sendsSql = 'CallExpression[callee.property.name=/^(run|query|execute|executeQuery|raw)$/]';

const SORTS = /\b(?:order by|distinct on)\b([^;)]*?)(?=\blimit\b|\boffset\b|\bfor\b|[;)]|$)/gi;
const FIRST_WORD = /^\s*\(?\s*([a-z_]\w*)(?=\s|$)(?!\s*[.(:])/i;
const sortNames = (text) =>
  [...text.matchAll(SORTS)].flatMap(([, list]) => list.split(',').map((item) => FIRST_WORD.exec(item)?.[1] ?? ''));
/** `select n::text` and `select lower(n) as n` both give out something else under the name of the column `n`. */
const selectsOtherwise = (text, name) =>
  new RegExp(`\\b${name}::\\w+(\\[\\])?\\s*(,|from\\b)`, 'i').test(text) ||
  new RegExp(`\\b${name}\\b[^\\s,]+\\s+as\\s+"?${name}\\b`, 'i').test(text);

/** ORDER BY and DISTINCT ON take a bare name for what is selected under it, before those of the table. */
const noTextOrder = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { refused: 'Sort by the column of its table (t.{{name}}): {{name}} alone is the expression selected.' },
  },
  create: (context) => {
    const judge = (node, text) => {
      for (const name of new Set(sortNames(text)))
        if (name !== '' && selectsOtherwise(text, name)) context.report({ node, messageId: 'refused', data: { name } });
    };
    return {
      TemplateLiteral: (node) => judge(node, node.quasis.map(({ value }) => value.cooked).join(' $1 ')),
      Literal: (node) => typeof node.value === 'string' && judge(node, node.value),
    };
  },
};

/** A class that a decorated file imports is a value there, whatever its use looks like: Nest injects it. */
const typeImports = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { refused: 'Import {{name}} as a type: nothing here needs its value.' },
  },
  create: (context) => {
    const found = [];
    let decorated = false;
    const isType = ({ identifier: { parent }, isTypeReference }) =>
      (isTypeReference && parent.type !== 'ExportSpecifier') || parent.type === 'TSTypeQuery';
    return {
      Decorator: () => {
        decorated = true;
      },
      'ImportDeclaration[importKind!="type"] > :not([importKind="type"]).specifiers': (node) => found.push(node),
      'Program:exit': () => {
        for (const node of decorated ? [] : found) {
          const references = context.sourceCode.getDeclaredVariables(node).flatMap((variable) => variable.references);
          if (references.length > 0 && references.every(isType))
            context.report({ node, messageId: 'refused', data: { name: node.local.name } });
        }
      },
    };
  },
};

/** The style guide's rules that no published rule covers. Each has a planted violation in lint.test.ts. */
export default {
  meta: { name: 'house' },
  rules: {
    'no-text-order': noTextOrder,
    'type-imports': typeImports,
    'no-default-export': refuse(
      'Export by name: a default export is called something else in every file that imports it.',
      'ExportDefaultDeclaration',
      'ExportSpecifier[exported.name="default"]',
    ),
    'no-enum': refuse('Use a union of string literals: an enum is a type and an object at once.', 'TSEnumDeclaration'),
    'no-process-env': refuse(
      'Only src/config/config.ts reads the environment: take what you need from Config.',
      'MemberExpression[object.name="process"][property.name="env"]',
      'MemberExpression[object.name="process"][property.value="env"]',
      'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name="env"]',
      'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name="env"]',
    ),
    'no-ambient-time': refuse(
      'Time is passed in: ask the Clock at the edge, so that tests can move it and processes agree on it.',
      'NewExpression[callee.name="Date"][arguments.length=0]',
      'CallExpression[callee.name="Date"]',
      'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
    ),
    'no-built-sql': refuse(
      'Bind values as parameters ($1, or a sql`` tag): text put together can carry injected SQL.',
      `${sendsSql} > TemplateLiteral.arguments[expressions.length>0]`,
      `${sendsSql} > BinaryExpression.arguments[operator="+"]`,
      `${sendsSql} > ObjectExpression.arguments > Property[key.name=/^(text|sql)$/] > TemplateLiteral.value[expressions.length>0]`,
      `${sendsSql} > ObjectExpression.arguments > Property[key.name=/^(text|sql)$/] > BinaryExpression.value[operator="+"]`,
    ),
  },
};
