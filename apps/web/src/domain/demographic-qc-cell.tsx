import { can } from '@lis/contract/access/permissions.ts'
import type { RequisitionRow } from '@lis/contract/requisitions/list.ts'
import { requisitionCellRoutes } from '@lis/contract/requisitions/moves.ts'
import { call } from '../lib/api.ts'
import { useRole } from '../lib/session.ts'
import { ifMatch } from '../lib/use-save.ts'
import { FlagCell } from './flag-cell.tsx'

const texts = ['Not passed', 'Passed'] as const

/** Passed or not, saved half a second after the last click. */
export const DemographicQcCell = ({ row }: { row: Pick<RequisitionRow, 'id' | 'isDemQcPass' | 'version'> }) => (
  <FlagCell
    label={`Demographic QC of #${row.id}`}
    value={row.isDemQcPass}
    version={row.version}
    name="isDemQcPass"
    texts={texts}
    isDisabled={!can(useRole(), 'reports.demographicQc')}
    save={(isDemQcPass, version) =>
      call(requisitionCellRoutes.demQc, { params: { reqID: row.id }, body: { isDemQcPass }, headers: ifMatch(version) })
    }
  />
)
