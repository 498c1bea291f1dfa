import { styled } from '@mui/material/styles'
import { useEffect } from 'react'
import { logOut } from '../../lib/api.ts'
import { pageSession, useViewedName } from '../../lib/session.ts'
import { unsaved } from '../../lib/unsaved.ts'
import { useBusy } from '../../lib/use-busy.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Banner } from '../../ui/form/banner.tsx'

const Place = styled('div')({
  flex: 'none',
  position: 'sticky',
  top: 0,
  zIndex: 5,
  padding: '8px 16px',
  background: 'var(--surface)',
})

/** Stays on every page while an administrator sees what somebody else sees. */
export const ViewBanner = () => {
  const name = useViewedName()
  const [isBusy, whileBusy] = useBusy()
  if (name === undefined) return null
  return (
    <Place>
      <Banner
        type="warning"
        actions={
          <ActionButton size="small" isBusy={isBusy} onClick={() => whileBusy(logOut)}>
            Stop viewing
          </ActionButton>
        }
      >
        {`Viewing as ${name}, read only`}
      </Banner>
    </Place>
  )
}

/** Starts again at the front page, in every tab, when a view begins or ends: nothing of one user stays on the screen of the other. */
export const useReloadOnViewChange = () =>
  useEffect(() => {
    const viewed = () => pageSession.get()?.viewAs?.name
    const before = viewed()
    return pageSession.subscribe(() => {
      const now = pageSession.get()
      if (!now || viewed() === before) return
      unsaved.clear()
      window.location.assign('/')
    })
  }, [])
