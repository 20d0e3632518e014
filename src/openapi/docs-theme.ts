/** Swagger UI has a dark theme, which a class on the page switches on. */
export const DARK_MODE_SCRIPT = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
`;

/** Where its own colours are too faint to be read: everything has a contrast of 4.5 at least (WCAG 2.2, 1.4.3). */
export const DOCS_CSS = `
.swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
.swagger-ui .opblock.opblock-get .opblock-summary-method, .swagger-ui .btn.execute { background: #1f62a8; border-color: #1f62a8; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1c7a4d; }
.swagger-ui .opblock.opblock-patch .opblock-summary-method { background: #0f766e; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b42318; }
.swagger-ui .info .title small, .swagger-ui .info .title small.version-stamp { background: #555; }
.swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .btn.authorize, .swagger-ui .btn.authorize span { color: #1c7a4d; border-color: #1c7a4d; }
.swagger-ui .btn.cancel { color: #b42318; border-color: #b42318; }
.swagger-ui a, .swagger-ui .info a { color: #1f62a8; }
.swagger-ui .parameter__in, .swagger-ui .prop-format, .swagger-ui .json-schema-2020-12-expand-deep-button { color: #555; }
.swagger-ui .parameter__name.required span, .swagger-ui .parameter__name.required::after { color: #b42318; }
.swagger-ui .markdown code, .swagger-ui .renderedMarkdown code { color: #7a08d1; }
.swagger-ui .download-contents { background: #444; color: #fff; }
.swagger-ui .highlight-code span[style*='rgb(211, 99, 99)'] { color: #ff9d94 !important; }
/* A refusal is one line: its status and its codes. Their shape is the model Problem, their meaning is at /problems. */
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) .response-col_description > :not(.response-col_description__inner) { display: none; }
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) td { padding-top: 2px; }
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) .response-col_description__inner p { margin: 0; }
.swagger-ui .responses-table:not(.live-responses-table) .response:is([data-code^='4'], [data-code^='5']) .response-col_links { visibility: hidden; }
html.dark-mode .swagger-ui .btn.authorize, html.dark-mode .swagger-ui .btn.authorize span { color: #6ee7a8; border-color: #6ee7a8; }
html.dark-mode .swagger-ui .markdown code, html.dark-mode .swagger-ui .renderedMarkdown code { color: #d9b8ff; }
html.dark-mode .swagger-ui .header-col { color: #e4e6e6; }
html.dark-mode .swagger-ui .btn.cancel { color: #ffc2bc; border-color: #ffc2bc; }
html.dark-mode .swagger-ui .examples-select__section-label { color: #e4e6e6; }
html.dark-mode .swagger-ui a, html.dark-mode .swagger-ui .info a { color: #8ec5ff; }
html.dark-mode .swagger-ui .parameter__in, html.dark-mode .swagger-ui .prop-format { color: #c8c8c8; }
html.dark-mode .swagger-ui .json-schema-2020-12-expand-deep-button { color: #c8c8c8; }
html.dark-mode .swagger-ui .parameter__name.required span { color: #ff9d94; }
html.dark-mode .swagger-ui .parameter__name.required::after { color: #ff9d94; }
`;
