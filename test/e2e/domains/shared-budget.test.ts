import { sharesBudgets } from './shared-budget-suite.js';

sharesBudgets('PostgreSQL', () => ({}));
