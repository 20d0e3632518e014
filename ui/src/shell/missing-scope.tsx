import { Page } from '../components/page.js';

/** In place of a screen that the key may not see. */
export function MissingScope({ title, scope }: { title: string; scope: string }) {
  return (
    <Page title={title}>
      <section class="card empty-state">
        <h2>Your key cannot see this</h2>
        <p>
          It lacks the scope <code>{scope}</code>. A key with <code>admin</code> can issue one that has it.
        </p>
      </section>
    </Page>
  );
}
