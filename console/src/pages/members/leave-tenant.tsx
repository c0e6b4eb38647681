import type { Me } from '../../../../client/src/index.ts';
import { navigate } from '../../address/address.ts';
import { PATHS } from '../../address/paths.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useAnswer } from '../../service/answer.ts';
import { members } from '../../service/answers.ts';
import { service, showMe } from '../../session/session.ts';
import { COMMON, MEMBERS } from '../../words.ts';

/**
 * A dialog that removes the signed-in person from the tenant after confirmation. The service gives the person another
 * tenant.
 */
export function LeaveTenant({ me, onClose }: { readonly me: Me; readonly onClose: () => void }) {
  const { value: all = [] } = useAnswer(members.of());
  const isOnlyOwner = me.role === 'owner' && all.filter(({ role }) => role === 'owner').length === 1;
  const leave = async (): Promise<void> => {
    await service().removeMember(me.user.id);
    showMe(await service().me());
    navigate(PATHS.overview, { replace: true });
  };
  if (isOnlyOwner) {
    return (
      <Dialog title={MEMBERS.leaveTitle} onClose={onClose}>
        <p>{MEMBERS.onlyOwner}</p>
        <div class="buttons">
          <button type="button" onClick={onClose}>
            {COMMON.close}
          </button>
        </div>
      </Dialog>
    );
  }
  return (
    <FormDialog
      title={MEMBERS.leaveTitle}
      form="leave-tenant"
      submit={MEMBERS.leave}
      danger
      onSubmit={leave}
      onClose={onClose}
    >
      <p>{MEMBERS.leaveText}</p>
    </FormDialog>
  );
}
