// Breaks the rule: semver is here because Namewatch uses it.
import { satisfies } from 'semver';

export const fits = satisfies;
