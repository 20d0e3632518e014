import type { ChannelType, Extension, ExtensionLink } from '../../../../clients/typescript/src/index.js';
import { useExtensions } from '../../api/extensions.js';
import { EmptyState, Loading, Page } from '../../components/page.js';
import { ProblemNote } from '../../components/problem-note.js';
import { ShortText, Text } from '../../components/text.js';
import { ROUTES, SERVICE_URL } from '../../routes.js';
import { linkPagePath } from './link-paths.js';
import { SourceTable } from './source-table.js';

export function ExtensionsScreen() {
  const { extensions, failure, isLoading, reload } = useExtensions();
  return (
    <Page title="Extensions">
      <p class="muted">
        Packages that add to this service. What their links lead to is shown as text: nothing of an extension runs in
        this page.
      </p>
      {failure && <ProblemNote failure={failure} onRetry={reload} />}
      {isLoading && extensions.length === 0 && <Loading />}
      {!isLoading && failure === null && extensions.length === 0 && (
        <EmptyState title="No extension">
          <p>This service has none. An administrator can add some with the setting EXTENSIONS.</p>
        </EmptyState>
      )}
      {extensions.map((extension) => (
        <ExtensionCard key={extension.name} extension={extension} />
      ))}
    </Page>
  );
}

function ExtensionCard({ extension }: { extension: Extension }) {
  const { name, version, channel_types: types, lookup_sources: sources, links } = extension;
  const isEmpty = types.length + sources.length + links.length === 0;
  return (
    <section class="card extension">
      <h2>
        <ShortText value={name} max={60} />{' '}
        {version !== null && (
          <span class="muted">
            <ShortText value={version} max={30} />
          </span>
        )}
      </h2>
      {links.length > 0 && (
        <>
          <h3>Links</h3>
          <ul class="extension-links">
            {links.map((link) => (
              <LinkItem key={link.path} link={link} />
            ))}
          </ul>
        </>
      )}
      {types.length > 0 && (
        <>
          <h3>Channel types</h3>
          <dl class="facts">
            {types.map((type) => (
              <ChannelTypeFact key={type.type} channelType={type} />
            ))}
          </dl>
          <p class="muted">
            To add a channel of such a type, go to <a href={ROUTES.notifications}>notifications</a>.
          </p>
        </>
      )}
      {sources.length > 0 && (
        <>
          <h3>Lookup sources</h3>
          <SourceTable sources={sources} label={`Lookup sources of ${name.slice(0, 60)}`} />
        </>
      )}
      {isEmpty && <p class="muted">It shows elsewhere: in plans, in sign-in, or in what happens with a change.</p>}
    </section>
  );
}

/** Adds a direct link if the route needs no key, since a browser sends none. */
function LinkItem({ link: { label, path, public: isPublic } }: { link: ExtensionLink }) {
  const page = linkPagePath(path);
  if (page === null) return null;
  return (
    <li>
      <a href={page}>
        <ShortText value={label} max={60} />
      </a>{' '}
      <code class="muted">{path}</code>
      {isPublic && (
        <>
          {' '}
          <a href={SERVICE_URL + path} target="_blank" rel="noreferrer">
            Open in a new tab <span class="visually-hidden">{label.slice(0, 60)}</span>
          </a>
        </>
      )}
    </li>
  );
}

const FIELDS: Readonly<Record<ChannelType['fields'][number]['name'], string>> = {
  target: 'a target',
  credential: 'a credential',
  headers: 'headers of yours',
};

const LIST = new Intl.ListFormat('en');

function ChannelTypeFact({ channelType: { type, about, fields } }: { channelType: ChannelType }) {
  return (
    <>
      <dt>
        <ShortText value={type} max={60} />
      </dt>
      <dd>
        <Text value={about} /> <span class="muted">Takes {LIST.format(fields.map(({ name }) => FIELDS[name]))}.</span>
      </dd>
    </>
  );
}
