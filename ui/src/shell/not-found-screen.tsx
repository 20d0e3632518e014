import { Page } from '../components/page.js';
import { ROUTES } from '../routes.js';

export function NotFoundScreen() {
  return (
    <Page title="There is nothing at this address">
      <p>
        <a href={ROUTES.watchlist}>Go to the watchlist</a>
      </p>
    </Page>
  );
}
