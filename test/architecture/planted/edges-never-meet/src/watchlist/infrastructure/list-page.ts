// Breaks the rule: a repository builds what HTTP shows.
import type { View } from '../http/view.js';

export type Page = View;
