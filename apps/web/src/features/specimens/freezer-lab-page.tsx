import { lookupRoutes } from '@lis/contract/lookups.ts'
import { locationLabels } from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { read } from '../../lib/query.ts'
import { FieldInput } from '../../ui/form/field-input.tsx'
import type { FieldDef } from '../../ui/form/field-types.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { EmptyState, LoadingState } from '../../ui/states.tsx'
import { LoadFailed } from '../../ui/table/table-states.tsx'

const labField: FieldDef = { name: 'labId', label: 'Lab', kind: 'select', lookup: 'labs' }

interface FreezerLabPageProps {
  title: string
  /** `labChoice` is the field that changes the laboratory, where there are several. */
  children: (labId: number, labChoice: ReactNode) => ReactNode
}

/** A page about the freezers of one laboratory. The laboratory is chosen first, because each has its own. */
export const FreezerLabPage = ({ title, children }: FreezerLabPageProps) => {
  const { data, error, refetch } = useQuery(read(lookupRoutes.labs, { query: {} }))
  const [chosen, setChosen] = useState<number | null>(null)
  const labs = data?.data
  const labId = chosen ?? (labs?.find(({ isDefault }) => isDefault === 1) ?? labs?.[0])?.id
  return (
    <>
      <PageHeader
        title={title}
        action={
          <Button component={Link} to="/freezer-specs" sx={{ display: { xs: 'none', sm: 'inline-flex' } }}>
            Freezer Reverse Lookup
          </Button>
        }
      />
      {error ? (
        <LoadFailed error={error} onRetry={() => refetch()} />
      ) : labs === undefined ? (
        <LoadingState label="Data loading" />
      ) : labId === undefined ? (
        <EmptyState title="No laboratory">A {locationLabels.box.toLowerCase()} belongs to a laboratory.</EmptyState>
      ) : (
        <Fragment key={labId}>
          {children(
            labId,
            labs.length > 1 && (
              <FieldInput field={labField} value={labId} onChange={(value) => setChosen(Number(value))} />
            ),
          )}
        </Fragment>
      )}
    </>
  )
}
