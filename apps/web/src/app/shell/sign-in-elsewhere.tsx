import { messages } from '@lis/contract/messages.ts'
import { useHeldSession } from '../../lib/session.ts'
import { Banner } from '../../ui/form/banner.tsx'

/** Shown when the sign-in dialog could not be loaded: signing in in another tab works too. */
export const SignInElsewhere = () =>
  useHeldSession() && (
    <div style={{ position: 'fixed', inset: '16px 16px auto', zIndex: 1400 }}>
      <Banner type="warning">
        {messages.sessionExpired} What you typed is still here:{' '}
        <a href="/login" target="_blank" rel="noreferrer">
          sign in in another tab
        </a>
        , then come back.
      </Banner>
    </div>
  )
