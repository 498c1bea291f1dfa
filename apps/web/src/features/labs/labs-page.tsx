import { can } from '@lis/contract/access/permissions.ts'
import { labCreate, labLabels, labRoutes } from '@lis/contract/labs.ts'
import { lookupRoutes } from '@lis/contract/lookups.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { read } from '../../lib/query.ts'
import { useRole } from '../../lib/session.ts'
import { useSave } from '../../lib/use-save.ts'
import { Card } from '../../ui/card.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { FormDialog } from '../../ui/form/form-dialog.tsx'
import { InfoList } from '../../ui/form/info-list.tsx'
import { Loaded, RecordPage } from '../../ui/form/record-page.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { PlusIcon } from '../../ui/table/table-icons.tsx'
import { BoardsCard } from './boards-card.tsx'
import { TargetsCard } from './targets-card.tsx'

/** The laboratories of the network; there are few, so each is a card. */
export const LabsPage = () => (
  <RecordPage title="Laboratories" action={can(useRole(), 'labs.write') && <AddLaboratory />}>
    <TargetsCard />
    <BoardsCard />
    <Loaded query={useQuery(read(lookupRoutes.labs, { query: {} }))}>
      {({ data }) =>
        data.length === 0 ? (
          <EmptyState title="No laboratory yet">
            Add the laboratory first; collaborators, clients and orders need it.
          </EmptyState>
        ) : (
          data.map(({ id, labCode, labName, labTz }) => (
            <Card key={id} title={labName} actions={<Link to={`/labs/${id}/show`}>Open {labName}</Link>}>
              <InfoList
                items={[
                  ['Code', labCode],
                  ['Timezone', labTz],
                ]}
              />
            </Card>
          ))
        )
      }
    </Loaded>
  </RecordPage>
)

const fields: readonly FieldDef[] = [
  { name: 'labCode', label: labLabels.labCode, kind: 'text', isRequired: true, hint: 'Short; it never changes' },
  { name: 'labName', label: labLabels.labName, kind: 'text', isRequired: true },
  { name: 'labTz', label: labLabels.labTz, kind: 'text', isRequired: true, hint: 'Such as America/New_York' },
]

/** Its address, director and the rest are entered on its page. */
const AddLaboratory = () => {
  const create = useSave(labRoutes.create, { invalidates: [lookupRoutes.labs.path] })
  const navigate = useNavigate()
  const [isAdding, setAdding] = useState(false)
  return (
    <>
      <Button variant="contained" startIcon={<PlusIcon />} onClick={() => setAdding(true)}>
        Add Laboratory
      </Button>
      {isAdding && (
        <FormDialog
          title="Add Laboratory"
          submitLabel="Create"
          schema={labCreate}
          fields={fields}
          onSubmit={async (body) => {
            const { data } = await create({ body })
            navigate(`/labs/${data.id}`)
          }}
          onClose={() => setAdding(false)}
        />
      )}
    </>
  )
}
