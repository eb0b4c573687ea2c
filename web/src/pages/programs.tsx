export default function Page() { return <p class="empty">…</p>; }
