import { BulkChecksController } from './bulk-checks.controller.js';
import { CheckResultPresenter } from './check-result-presenter.js';
import { ChecksController } from './checks.controller.js';
import { RegistriesController } from './registries.controller.js';

export const controllers = [ChecksController, BulkChecksController, RegistriesController];
export const presenters = [CheckResultPresenter];
