import type { Report } from '@lis/contract/reports.ts'
import { type ReportSignature, signOutRoutes } from '@lis/contract/sign-out.ts'
import { useQuery } from '@tanstack/react-query'
import { read } from '../../lib/query.ts'
import { CardTable } from '../../ui/table/card-table.tsx'
import type { Column } from '../../ui/table/column.ts'
import { Timestamp } from '../../ui/timestamp.tsx'

const idOf = ({ id }: ReportSignature) => String(id)
const nameOf = ({ signerName, versionNo }: ReportSignature) => `${signerName}, version ${versionNo}`

const columns: Column<ReportSignature>[] = [
  {
    key: 'signer',
    header: 'Signed by',
    width: 220,
    cell: ({ signerName, qualifications }) => [signerName, qualifications].filter(Boolean).join(', '),
  },
  { key: 'version', header: 'Version', width: 70, cell: ({ versionNo }) => versionNo },
  { key: 'meaning', header: 'Meaning', width: 240, cell: ({ meaningDesc }) => meaningDesc },
  {
    key: 'at',
    header: 'Signed',
    width: 140,
    cell: ({ signedDate, signedTz }) => <Timestamp at={signedDate} zone={signedTz} />,
  },
  {
    key: 'state',
    header: 'State',
    width: 240,
    cell: ({ signatureState, voidReason }) => (signatureState === 'VALID' ? 'Valid' : `Void: ${voidReason}`),
  },
]

/** Who has signed which version of a report, and whether it still counts; not shown without signatures. */
export const SignaturesCard = ({ report }: { report: Report }) => {
  const query = useQuery(read(signOutRoutes.signatures, { params: { id: report.id } }))
  if (!query.isError && !query.data?.data.length) return null
  return (
    <CardTable
      title={`Signatures of ${report.reportOriginalFileName}`}
      columns={columns}
      query={query}
      rowId={idOf}
      rowName={nameOf}
      empty="Nobody has signed it."
    />
  )
}
