import type { Role } from '@lis/contract/access/roles.ts'
import { type RequisitionView, requisitionViews, viewsFor } from '@lis/contract/requisitions/views.ts'
import { styled } from '@mui/material/styles'
import { Link } from 'react-router'

const Tabs = styled('nav')({
  flex: 'none',
  display: 'flex',
  gap: 20,
  height: 36,
  padding: '0 16px',
  borderBottom: '1px solid var(--line)',
  whiteSpace: 'nowrap',
  overflowX: 'auto',
  overflowY: 'hidden',
  '& a': {
    display: 'flex',
    alignItems: 'center',
    marginBottom: -1,
    paddingTop: 2,
    borderBottom: '2px solid transparent',
    color: 'var(--text-2)',
    textDecoration: 'none',
    '&:hover': { color: 'var(--text)' },
    '&[aria-current]': { color: 'var(--p)', fontWeight: 600, borderColor: 'var(--p)' },
    '&:focus-visible': { boxShadow: 'inset 0 0 0 2px var(--focus)', outline: 'none' },
  },
})

/** The tabs that a role has. They are addresses: changing one begins at page 1 without filters of the other. */
export const ViewTabs = ({ role, view }: { role: Role; view: RequisitionView }) => (
  <Tabs aria-label="Views">
    {viewsFor(role)
      .filter((name) => name !== 'BillingBatch')
      .map((name) => (
        <Link key={name} to={`?status=${name}`} aria-current={name === view ? 'page' : undefined}>
          {requisitionViews[name].label}
        </Link>
      ))}
  </Tabs>
)
