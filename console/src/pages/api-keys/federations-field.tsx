import { useContext, useEffect, useRef, useState } from 'preact/hooks';
import type { Federation, SignIn } from '../../../../client/src/index.ts';
import { CodeBlock } from '../../parts/code-block.tsx';
import { Draft, useFirst } from '../../parts/draft.ts';
import { Labelled, SelectField } from '../../parts/fields.tsx';
import { WORKLOADS } from '../../words.ts';
import { FederationText } from './federation-text.tsx';
import { readFederations } from './input.ts';
import { claimsOf, factsOf, ISSUERS, NO_FACTS, PLATFORMS, type WorkloadFacts } from './workload-claims.ts';

interface FederationsFieldProps {
  readonly values: readonly Federation[];
  readonly issuers: SignIn['workload_issuers'];
}

/** The workloads of an API key, and a form that adds one: it asks for what people know, and shows the claims. */
export function FederationsField({ values, issuers }: FederationsFieldProps) {
  const [first = '[]'] = useFirst('federations', [JSON.stringify(values)]);
  const [chosen, setChosen] = useState<readonly Federation[]>(() => readFederations(first));
  const input = useRef<HTMLInputElement>(null);
  const text = JSON.stringify(chosen);
  // When a script changes a field, the browser fires no `input` event. The form needs this event to store its draft.
  useEffect(() => {
    if (text !== first) input.current?.dispatchEvent(new Event('input', { bubbles: true }));
  }, [text]);
  return (
    <fieldset>
      <legend>{WORKLOADS.label}</legend>
      <input ref={input} type="hidden" name="federations" value={text} />
      {chosen.length === 0 && <p class="hint">{WORKLOADS.hint}</p>}
      <ul class="plain">
        {chosen.map((federation) => (
          <li key={JSON.stringify(federation)} class="row">
            <FederationText of={federation} />
            <button
              type="button"
              class="small"
              onClick={() => setChosen((before) => before.filter((one) => one !== federation))}
            >
              {WORKLOADS.remove}
            </button>
          </li>
        ))}
      </ul>
      {issuers.length > 0 && (
        <AddFederation issuers={issuers} onAdd={(federation) => setChosen((before) => [...before, federation])} />
      )}
    </fieldset>
  );
}

interface AddFederationProps {
  readonly issuers: SignIn['workload_issuers'];
  readonly onAdd: (federation: Federation) => void;
}

function AddFederation({ issuers, onAdd }: AddFederationProps) {
  const draft = useContext(Draft);
  const first = (name: string): string | undefined => draft?.[name]?.[0];
  const [platform, setPlatform] = useState(() => PLATFORMS.find((one) => one === first('platform')));
  const [chosenIssuer, setIssuer] = useState(() => first('issuer') || undefined);
  const [facts, setFacts] = useState<WorkloadFacts>(() => factsOf(draft));
  const usual = platform && ISSUERS[platform];
  // Another issuer is never chosen for the user: with it, someone else could use the API key.
  const isUsual = issuers.some(({ issuer }) => issuer === usual);
  const issuer = chosenIssuer ?? (isUsual ? usual : undefined) ?? '';
  const claims = platform && claimsOf(platform, facts);
  const start = (next: string): void => {
    setPlatform(PLATFORMS.find((one) => one === next));
    setIssuer(undefined);
    setFacts(NO_FACTS);
  };
  return (
    <>
      <SelectField
        name="platform"
        label={WORKLOADS.platform}
        choices={[
          { value: '', text: WORKLOADS.choose },
          ...PLATFORMS.map((one) => ({ value: one, text: WORKLOADS.platforms[one] })),
        ]}
        value={platform ?? ''}
        invalid={platform && WORKLOADS.addFirst}
        onChange={start}
      />
      {platform !== undefined && (
        <>
          <SelectField
            name="issuer"
            label={WORKLOADS.issuer}
            hint={isUsual ? undefined : WORKLOADS.noIssuer(usual)}
            choices={[
              ...(isUsual ? [] : [{ value: '', text: WORKLOADS.chooseIssuer }]),
              ...issuers.map(({ issuer }) => ({ value: issuer, text: issuer })),
            ]}
            value={issuer}
            onChange={setIssuer}
          />
          {WORKLOADS.fields[platform].map(({ name, label, hint }) => (
            <Labelled key={`${platform} ${name}`} label={label} hint={hint}>
              {(given) => (
                <input
                  {...given}
                  name={name}
                  autocomplete="off"
                  spellcheck={false}
                  value={facts[name]}
                  onInput={({ currentTarget }) => setFacts({ ...facts, [name]: currentTarget.value.trim() })}
                />
              )}
            </Labelled>
          ))}
          {claims !== undefined && issuer !== '' && (
            <CodeBlock wraps label={WORKLOADS.claims} text={JSON.stringify({ issuer, claims }, null, 2)} />
          )}
          <p class="row">
            <button
              type="button"
              class="small"
              disabled={claims === undefined || issuer === ''}
              onClick={() => {
                if (claims === undefined) return;
                onAdd({ issuer, claims });
                start('');
              }}
            >
              {WORKLOADS.add}
            </button>
          </p>
        </>
      )}
    </>
  );
}
