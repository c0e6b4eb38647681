import { useEffect } from 'preact/hooks';
import { TIER } from '../../../../client/src/api/generated.ts';
import type { Key, Tier } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { PATHS } from '../../address/paths.ts';
import { NameField, textOf } from '../../parts/fields.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Name } from '../../parts/name.tsx';
import { Snippets } from '../../parts/snippet.tsx';
import { waysToRewrap } from '../../parts/ways.ts';
import { useAnswer } from '../../service/answer.ts';
import { keysChanged, rotation } from '../../service/answers.ts';
import { service } from '../../session/session.ts';
import { COMMON, KEYS } from '../../words.ts';

/** Returns whether a rotation immediately makes all older ciphertext unreadable. */
const losesAllOnRotation = (tier: Tier): boolean => TIER[tier].retainedVersions === 1;

interface KeyDialogProps {
  readonly subject: Key;
  /** The number of operations that used the key this month, if known. */
  readonly ops: number | undefined;
  readonly onClose: () => void;
}

/**
 * Renders the dialog with this name. Renders nothing if there is no such dialog, or if the key's state does not allow
 * it.
 */
export function KeyDialog({ name, ...props }: KeyDialogProps & { readonly name: string | undefined }) {
  const isActive = props.subject.state === 'active';
  if (name === 'freeze' && isActive) return <FreezeKey {...props} />;
  if (name === 'rotate' && isActive) return <RotateKey {...props} />;
  if (name === 'rename' && isActive) return <RenameKey {...props} />;
  if (name === 'delete' && isActive) return <DeleteKey {...props} />;
  if (name === 'destroy') return <DestroyKey {...props} />;
  return null;
}

function FreezeKey({ subject: { id, name }, onClose }: KeyDialogProps) {
  const freeze = async (): Promise<void> => {
    await service().freezeKey(id);
    keysChanged();
    onClose();
  };
  return (
    <FormDialog
      title={KEYS.freezeTitle(<Name text={name} />)}
      form={`freeze-${id}`}
      submit={KEYS.freeze}
      onSubmit={freeze}
      onClose={onClose}
    >
      <p>{KEYS.freezeText}</p>
    </FormDialog>
  );
}

function RotateKey({ subject, onClose }: KeyDialogProps) {
  const { id, name, tier, frozen_at } = subject;
  const loses = losesAllOnRotation(tier);
  const preview = rotation.of(id);
  const { value } = useAnswer(preview);
  // Load the preview again: its counts may have changed since the dialog was last open.
  useEffect(() => void preview.ask(), [preview]);
  const rotate = async (): Promise<void> => {
    await service().rotateKey(id);
    keysChanged();
    onClose();
  };
  return (
    <FormDialog
      title={KEYS.rotateTitle(<Name text={name} />)}
      form={`rotate-${id}`}
      submit={KEYS.rotate}
      lists={[preview]}
      danger={loses}
      {...(loses && { confirmName: name })}
      onSubmit={rotate}
      onClose={onClose}
    >
      {frozen_at !== null && <p class="warning">{KEYS.rotateFrozen}</p>}
      {value !== undefined && (
        <p>
          {KEYS.rotateMakes(value.next_version)} {value.keeps.length > 0 && KEYS.rotateKeeps(value.keeps)}
        </p>
      )}
      {loses && <p class="warning">{KEYS.rotateLoses}</p>}
      {loses && value !== undefined && <p>{KEYS.recentUse(value.recent)}</p>}
      {!loses && value !== undefined && (
        <>
          <p>
            {KEYS.rotateRetires(value.retires)} {KEYS.olderUse(value.recent)}
          </p>
          <p>{value.retires.length > 0 ? KEYS.rewrapFirst : KEYS.rewrapLater}</p>
          <Snippets lines={waysToRewrap(id)} />
        </>
      )}
    </FormDialog>
  );
}

function RenameKey({ subject: { id, name }, onClose }: KeyDialogProps) {
  const rename = async (data: FormData): Promise<void> => {
    await service().renameKey(id, { name: textOf(data, 'name') });
    keysChanged();
    onClose();
  };
  return (
    <FormDialog
      title={KEYS.renameTitle(<Name text={name} />)}
      form={`rename-${id}`}
      submit={COMMON.save}
      onSubmit={rename}
      onClose={onClose}
    >
      <NameField value={name} />
    </FormDialog>
  );
}

function DeleteKey({ subject: { id, name }, ops, onClose }: KeyDialogProps) {
  const remove = async (): Promise<void> => {
    await service().deleteKey(id);
    keysChanged();
    onClose();
  };
  return (
    <FormDialog
      title={KEYS.deleteTitle(<Name text={name} />)}
      form={`delete-${id}`}
      submit={KEYS.delete}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>{KEYS.deleteText}</p>
      {ops !== undefined && <p>{KEYS.opsMonth(ops)}</p>}
    </FormDialog>
  );
}

function DestroyKey({ subject: { id, name }, ops, onClose }: KeyDialogProps) {
  const destroy = async (): Promise<void> => {
    await service().destroyKey(id);
    navigate(PATHS.keys, { replace: true });
    keysChanged();
  };
  return (
    <FormDialog
      title={KEYS.destroyTitle(<Name text={name} />)}
      form={`destroy-${id}`}
      submit={KEYS.destroy}
      danger
      confirmName={name}
      onSubmit={destroy}
      onClose={onClose}
    >
      <p class="warning">{KEYS.destroyLoses}</p>
      {ops !== undefined && <p>{KEYS.opsMonth(ops)}</p>}
    </FormDialog>
  );
}
