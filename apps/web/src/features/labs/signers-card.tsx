import { superAdmins } from '@lis/contract/access/roles.ts'
import { usDate } from '@lis/contract/kit/date-range.ts'
import { labRoutes, type Signer, signerEnd, signerInput, signerLabels } from '@lis/contract/labs.ts'
import { userRoutes } from '@lis/contract/users.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useSession } from '../../lib/session.ts'
import { ifMatch, useSave } from '../../lib/use-save.ts'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import type { Column } from '../../ui/table/column.ts'
import { allRows, readList } from '../../ui/table/read-list.ts'
import { SubTable } from '../../ui/table/sub-table.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'

const idOf = ({ id }: Signer) => String(id)

/** Who may sign reports of a laboratory. A right ends by a date; it is never deleted. */
export const SignersCard = ({ labId, mayEdit }: { labId: number; mayEdit: boolean }) => {
  const [isAdding, setAdding] = useState(false)
  const [ending, setEnding] = useState<Signer | null>(null)
  const columns = useMemo(() => signerColumns(mayEdit ? setEnding : null), [mayEdit])
  const end = useSave(labRoutes.endSigner)
  return (
    <>
      <SubTable
        title="May sign reports"
        level={2}
        columns={columns}
        route={labRoutes.signers}
        params={{ id: labId }}
        rowId={idOf}
      />
      {mayEdit && (
        <div>
          <Button startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
            Add signer
          </Button>
        </div>
      )}
      {isAdding && <AddSigner labId={labId} onClose={() => setAdding(false)} />}
      {ending && (
        <FormDialog
          title="End the right to sign"
          subject={ending.userName}
          submitLabel="End"
          schema={signerEnd}
          fields={[{ name: 'validTo', label: signerLabels.validTo, kind: 'date', isRequired: true }]}
          values={{ validTo: ending.validTo ?? '' }}
          onSubmit={(body) =>
            end({ params: { id: labId, signerId: ending.id }, body, headers: ifMatch(ending.version) })
          }
          onClose={() => setEnding(null)}
        />
      )}
    </>
  )
}

const signerColumns = (onEnd: ((signer: Signer) => void) | null): readonly Column<Signer>[] => [
  { key: 'userName', header: signerLabels.userName, cell: (signer) => signer.userName },
  { key: 'qualifications', header: signerLabels.qualifications, cell: (signer) => signer.qualifications },
  { key: 'deptNames', header: signerLabels.deptIds, cell: ({ deptNames }) => deptNames.join(', ') || 'All' },
  { key: 'identityCheckedBy', header: signerLabels.identityCheckedBy, cell: (signer) => signer.identityCheckedBy },
  { key: 'validFrom', header: signerLabels.validFrom, cell: ({ validFrom }) => usDate(validFrom) },
  { key: 'validTo', header: signerLabels.validTo, cell: ({ validTo }) => (validTo ? usDate(validTo) : 'Open') },
  ...(onEnd
    ? [
        {
          key: 'end',
          header: 'Action',
          cell: (signer: Signer) => (
            <Button aria-label={`End ${signer.userName}`} onClick={() => onEnd(signer)}>
              End
            </Button>
          ),
        },
      ]
    : []),
]

const AddSigner = ({ labId, onClose }: { labId: number; onClose: () => void }) => {
  const add = useSave(labRoutes.addSigner)
  const { data } = useQuery(readList(userRoutes.list, undefined, allRows))
  const ownId = useSession()?.access.userId
  const users = (data?.data ?? []).filter(
    ({ id, userRoleCode }) => id !== ownId && (superAdmins as readonly string[]).includes(userRoleCode),
  )
  const fields: readonly FieldDef[] = [
    {
      name: 'userId',
      label: signerLabels.userId,
      kind: 'autocomplete',
      options: users.map(({ id, userFirstName, userLastName, userName }) => ({
        value: id,
        label: `${userFirstName} ${userLastName} (${userName})`,
      })),
      isRequired: true,
    },
    { name: 'qualifications', label: signerLabels.qualifications, kind: 'text', isRequired: true },
    { name: 'identityCheckedBy', label: signerLabels.identityCheckedBy, kind: 'text', isRequired: true },
    {
      name: 'deptIds',
      label: signerLabels.deptIds,
      kind: 'lookupMultiSelect',
      lookup: 'depts',
      hint: 'None chosen: all departments',
    },
    { name: 'validFrom', label: signerLabels.validFrom, kind: 'date', isRequired: true },
    { name: 'validTo', label: signerLabels.validTo, kind: 'date' },
  ]
  return (
    <FormDialog
      title="Add signer"
      submitLabel="Add"
      schema={signerInput}
      fields={fields}
      onSubmit={(body) => add({ params: { id: labId }, body })}
      onClose={onClose}
    />
  )
}
