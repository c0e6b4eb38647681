import { useEffect, useState } from 'preact/hooks';
import { navigate, setQuery, useAddress } from '../../address/address.ts';
import { PATHS } from '../../address/paths.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { NothingMatches } from '../../parts/empty.tsx';
import { Labelled } from '../../parts/fields.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { apiUrl } from '../../parts/ways.ts';
import { Answers, useAnswer } from '../../service/answer.ts';
import { keys } from '../../service/answers.ts';
import { REFERENCE } from '../../words.ts';
import { CodeList } from './code-list.tsx';
import { FieldList } from './field-list.tsx';
import { Prose } from './inline.tsx';
import { OperationDetails } from './operation-details.tsx';
import { anchorOf, ERROR_CODE, type Reference } from './reference.ts';
import { operationsIn, searchIn } from './search.ts';

/** The API reference. Because it is large, it is loaded only when a page needs it. */
const reference = new Answers(async (): Promise<Reference> => {
  const { default: loaded } = await import('./reference.json', { with: { type: 'json' } });
  return loaded;
});

export function ReferencePage() {
  return (
    <Page title={REFERENCE.title}>
      <p>{REFERENCE.intro}</p>
      <Loaded answer={reference.of()}>{(all) => <Contents all={all} />}</Loaded>
    </Page>
  );
}

function Contents({ all }: { readonly all: Reference }) {
  const { query, fragment } = useAddress();
  const { value: ownKeys = [] } = useAnswer(keys.of());
  const [chosen, setChosen] = useState<string>();
  const wanted = (query.get('q') ?? '').trim();
  const { groups, objects, codes } = searchIn(all, wanted);
  const own = { url: apiUrl(), key: ownKeys.find(({ id }) => id === chosen) ?? ownKeys[0] };
  useEffect(() => goTo(fragment), [fragment]);
  return (
    <>
      <div class="reference-tools">
        <Labelled label={REFERENCE.search}>
          {(given) => (
            <input
              {...given}
              type="search"
              value={query.get('q') ?? ''}
              onInput={({ currentTarget }) => setQuery({ q: currentTarget.value })}
            />
          )}
        </Labelled>
        {ownKeys.length > 0 && (
          <Labelled label={REFERENCE.key}>
            {(given) => (
              <select {...given} value={own.key?.id} onChange={({ currentTarget }) => setChosen(currentTarget.value)}>
                {ownKeys.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            )}
          </Labelled>
        )}
        <p class="small muted" role="status">
          {wanted === '' ? '' : REFERENCE.found(operationsIn(groups), operationsIn(all.groups))}
        </p>
      </div>
      {wanted === '' && <Conventions all={all} />}
      {groups.length + objects.length + codes.length === 0 && <NothingMatches />}
      {groups.map(({ title, description, operations }) => (
        <Section key={title} title={title}>
          <p class="muted">
            <Prose text={description} />
          </p>
          <div class="reference-operations">
            {operations.map((operation) => (
              <OperationDetails
                key={operation.id}
                operation={operation}
                own={own}
                isNamed={operation.id === fragment}
              />
            ))}
          </div>
        </Section>
      ))}
      {objects.length > 0 && (
        <Section title={REFERENCE.objects}>
          {objects.map(({ name, description, fields, example }) => (
            <div key={name} id={anchorOf(name)} class="reference-inside">
              <h3>{name}</h3>
              {description !== undefined && (
                <p>
                  <Prose text={description} />
                </p>
              )}
              <FieldList fields={fields} marks="optional" />
              <CodeBlock label={`${REFERENCE.example}: ${name}`} text={example} />
            </div>
          ))}
        </Section>
      )}
      {codes.length > 0 && (
        <div id={anchorOf(ERROR_CODE)}>
          <Section title={REFERENCE.codes}>
            <CodeList codes={codes} />
          </Section>
        </div>
      )}
    </>
  );
}

/** Scrolls to the element whose id is in the address. Clears the search if it hides this element. */
function goTo(fragment: string): void {
  if (fragment === '') return;
  if (document.getElementById(fragment) === null) navigate(`${PATHS.reference}#${fragment}`, { replace: true });
  requestAnimationFrame(() => document.getElementById(fragment)?.scrollIntoView());
}

/** The variables in the examples, and the errors that many operations share. */
function Conventions({ all: { variables, general } }: { readonly all: Reference }) {
  return (
    <div class="reference-operations">
      <details>
        <summary>
          <h2>{REFERENCE.variables}</h2>
        </summary>
        <div class="reference-inside">
          <p>{REFERENCE.variablesText}</p>
          <dl class="facts">
            {variables.map(({ name, meaning }) => (
              <div key={name}>
                <dt>
                  <code>${name}</code>
                </dt>
                <dd>
                  <Prose text={meaning} />
                </dd>
              </div>
            ))}
          </dl>
        </div>
      </details>
      <details>
        <summary>
          <h2>{REFERENCE.shared}</h2>
        </summary>
        <div class="reference-inside">
          <p>{REFERENCE.sharedText}</p>
          <ul class="plain">
            {general.map(({ routes, codes }) => (
              <li key={routes}>
                {routes}:{' '}
                <span class="links">
                  {codes.map((code) => (
                    <a key={code} href={`#${code}`}>
                      {code}
                    </a>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        </div>
      </details>
    </div>
  );
}
