export { formatTags } from './transfer/csv-cells.js';
