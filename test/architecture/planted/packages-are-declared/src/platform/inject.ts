// Breaks the rule: it is here because Fastify wants it.
import 'light-my-request';
