// Scrolls the course's page to the chapter that its address names: to the card with the class `data.chapter`.

const MOST_FRAMES = 120; // screen frames to wait for the chapter's card: Streamlit may draw it after this

/** For pages/ui/course_view.py. @param {import("../../component.d.ts").Component<{chapter: string}>} component */
export function render({ data }) {
  let left = MOST_FRAMES;
  const look = () => {
    const chapter = document.querySelector(`.${data.chapter}`);
    if (chapter) chapter.scrollIntoView();
    else if (--left) requestAnimationFrame(look);
  };
  look();
}
