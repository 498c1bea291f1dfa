import { type Specimen, specimenColumnLabels, specimenLabels } from '@lis/contract/specimens.ts'
import { WarningIcon } from '../ui/icons.tsx'
import type { Column } from '../ui/table/column.ts'
import { Timestamp } from '../ui/timestamp.tsx'

/** The received specimens: on the tab and under a row of the list. */
export const specimenColumns: readonly Column<Specimen>[] = [
  {
    key: 'specimenTypeCode',
    header: specimenLabels.specimenTypeCode,
    width: 160,
    card: 'head',
    cell: (specimen) => <span className="strong">{specimen.specimenTypeDesc}</span>,
  },
  {
    key: 'temperatureTypeCode',
    header: specimenLabels.temperatureTypeCode,
    cell: (specimen) => specimen.temperatureTypeDesc,
  },
  {
    key: 'containerTypeCode',
    header: specimenLabels.containerTypeCode,
    width: 260,
    cell: (specimen) => (
      <>
        {specimen.containerTypeDesc}
        {specimen.hints.length > 0 && (
          <span
            title={specimen.hints.join(' ')}
            style={{ marginLeft: 6, color: 'var(--warning)', whiteSpace: 'nowrap' }}
          >
            <WarningIcon size={14} /> Check tube
          </span>
        )}
      </>
    ),
  },
  {
    key: 'tubeCount',
    header: specimenColumnLabels.tubeCount,
    width: 64,
    align: 'right',
    cell: (specimen) => specimen.tubeCount,
  },
  {
    key: 'dateReceived',
    header: specimenLabels.dateReceived,
    width: 160,
    cell: (specimen) => <Timestamp at={specimen.dateReceived} zone={specimen.receivedTz} />,
  },
  {
    key: 'specCreateByUsername',
    header: specimenLabels.specCreateByUsername,
    cell: (specimen) => specimen.specCreateByUsername,
  },
]
