import { type FreezerSpec, freezerRoutes, slotName } from '@lis/contract/spec-locations.ts'
import Button from '@mui/material/Button'
import { Link } from 'react-router'
import { ListPage } from '../../ui/list-page/list-page.tsx'
import { freezerColumns, freezerFilters } from './freezer-columns.tsx'

const nameOf = (spec: FreezerSpec) => `${slotName(spec)} of box ${spec.box}: #${spec.reqId}`

/** The content of each slot, and its requisition. */
export const FreezerPage = () => (
  <ListPage
    title="Freezer Reverse Lookup"
    action={
      <Button variant="contained" component={Link} to="/freezer-specs/fill">
        Fill Box
      </Button>
    }
    aside={
      <>
        <Button component={Link} to="/freezer-specs/reconcile">
          Reconcile Box
        </Button>
        <Button component={Link} to="/freezer-specs/discard">
          Discard List
        </Button>
      </>
    }
    screen="freezer-specs"
    itemName="sample"
    route={freezerRoutes.specs}
    exportRoute={freezerRoutes.exportSpecs}
    exportFilters="apart"
    columns={freezerColumns}
    filters={freezerFilters}
    rowName={nameOf}
  />
)
