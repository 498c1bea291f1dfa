import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import { FlagCell } from '../../domain/flag-cell.tsx'
import { call } from '../../lib/api.ts'
import { useRole } from '../../lib/session.ts'
import { ifMatch } from '../../lib/use-save.ts'

const texts = ['No', 'Yes'] as const

/** Whether the patient hears that results are ready. */
export const NotifyCell = ({ row }: { row: RequisitionRow }) => (
  <FlagCell
    label={`Notify Patient of #${row.id}`}
    value={row.isSendNotif}
    version={row.version}
    name="isSendNotif"
    texts={texts}
    isDisabled={!can(useRole(), 'requisitions.setNotifyPatient')}
    save={(isSendNotif, version) =>
      call(requisitionCellRoutes.sendNotif, {
        params: { reqID: row.id },
        body: { isSendNotif },
        headers: ifMatch(version),
      })
    }
  />
)
