"""Every metric of OSWorld's evaluators: what kind of judging it is, and whether its score is 0 or 1 or something between.

Source: ``desktop_env/evaluators/metrics`` as of 2026-04 and of the package ``desktop-env`` 1.0.2, each read and most of them run.
The kind belongs to getter × metric: metrics that only compare values take it from the getter (``BY_GETTER``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unibench.errors import UnknownName
from unibench.kinds import DEVICE_STATE, FILE_COMPARE, IMAGE_SIMILARITY, PAGE_STATE, REFUSAL_KIND, RUNTIME_GUI
from unibench_osworld.kinds import APP_CONFIG, CODE_TEST, FILE_PROPERTY, MEDIA_SIMILARITY, OCR_TEXT

Scale = Literal["binary", "graded"]
BINARY: Scale = "binary"
GRADED: Scale = "graded"

FILE = FILE_COMPARE.name
PROPERTY = FILE_PROPERTY.name
IMAGE = IMAGE_SIMILARITY.name
MEDIA = MEDIA_SIMILARITY.name
APP = APP_CONFIG.name
DEVICE = DEVICE_STATE.name
PAGE = PAGE_STATE.name
GUI = RUNTIME_GUI.name
REFUSAL = REFUSAL_KIND.name
CODE = CODE_TEST.name
OCR = OCR_TEXT.name
BY_GETTER = ""


@dataclass(frozen=True)
class Metric:
    """A metric.

    Attributes:
        kind: the verifier kind; empty where the getter decides.
        scale: of its score.
        module: upstream's module that holds it, under ``evaluators/metrics``.
        graded_with: options that make a binary metric a graded one.
        needs: a package that ``unibench install`` leaves out unless ``--full`` is given.
        owner: the project that owns it.
    """

    kind: str
    scale: Scale
    module: str
    graded_with: tuple[str, ...] = ()
    needs: str = ""
    owner: str = "xlang-ai/OSWorld"

    def scale_with(self, options: object) -> Scale:
        """The scale under a task's options."""
        names = options if isinstance(options, dict) else {}
        return GRADED if any(names.get(name) for name in self.graded_with) else self.scale


METRICS: dict[str, Metric] = {
    "infeasible": Metric(REFUSAL, BINARY, "__init__"),
    "check_gnome_favorite_apps": Metric(DEVICE, BINARY, "basic_os"),
    "check_moved_jpgs": Metric(DEVICE, BINARY, "basic_os"),
    "check_text_enlarged": Metric(DEVICE, BINARY, "basic_os"),
    "is_in_vm_clickboard": Metric(BY_GETTER, BINARY, "basic_os"),
    "is_utc_0": Metric(DEVICE, BINARY, "basic_os"),
    "check_enabled_experiments": Metric(APP, BINARY, "chrome"),
    "check_font_size": Metric(APP, BINARY, "chrome"),
    "check_history_deleted": Metric(APP, BINARY, "chrome"),
    "compare_archive": Metric(FILE, GRADED, "chrome"),
    "compare_htmls": Metric(FILE, BINARY, "chrome"),
    "compare_pdf_images": Metric(FILE, GRADED, "chrome"),
    "compare_pdfs": Metric(FILE, GRADED, "chrome"),
    "is_added_to_steam_cart": Metric(PAGE, BINARY, "chrome"),
    "is_cookie_deleted": Metric(APP, BINARY, "chrome"),
    "is_expected_active_tab": Metric(PAGE, BINARY, "chrome"),
    "is_expected_active_tab_approximate": Metric(PAGE, BINARY, "chrome"),
    "is_expected_bookmarks": Metric(APP, BINARY, "chrome"),
    "is_expected_installed_extensions": Metric(APP, BINARY, "chrome"),
    "is_expected_search_query": Metric(PAGE, BINARY, "chrome"),
    "is_expected_tabs": Metric(PAGE, BINARY, "chrome"),
    "is_expected_url_pattern_match": Metric(PAGE, BINARY, "chrome"),
    "is_shortcut_on_desktop": Metric(APP, BINARY, "chrome"),
    "check_highlighted_words": Metric(FILE, BINARY, "docs"),
    "check_italic_font_size_14": Metric(FILE, BINARY, "docs"),
    "check_no_duplicates": Metric(PROPERTY, BINARY, "docs"),
    "check_tabstops": Metric(FILE, GRADED, "docs"),
    "compare_contains_image": Metric(FILE, BINARY, "docs"),
    "compare_docx_files": Metric(FILE, BINARY, "docs", graded_with=("content_only", "fuzzy_match")),
    "compare_docx_files_and_ignore_new_lines": Metric(FILE, GRADED, "docs"),
    "compare_docx_images": Metric(FILE, BINARY, "docs"),
    "compare_docx_lines": Metric(FILE, BINARY, "docs"),
    "compare_docx_tables": Metric(FILE, BINARY, "docs"),
    "compare_font_names": Metric(PROPERTY, BINARY, "docs"),
    "compare_highlighted_text": Metric(FILE, BINARY, "docs"),
    "compare_image_text": Metric(OCR, BINARY, "docs", needs="easyocr"),
    "compare_init_lines": Metric(FILE, BINARY, "docs"),
    "compare_insert_equation": Metric(FILE, BINARY, "docs"),
    "compare_line_spacing": Metric(FILE, BINARY, "docs"),
    "compare_references": Metric(FILE, GRADED, "docs"),
    "compare_subscript_contains": Metric(FILE, BINARY, "docs"),
    "compare_unique_train_records": Metric(FILE, BINARY, "docs"),
    "contains_page_break": Metric(PROPERTY, BINARY, "docs"),
    "evaluate_alignment": Metric(FILE, BINARY, "docs"),
    "evaluate_colored_words_in_tables": Metric(FILE, BINARY, "docs"),
    "evaluate_conversion": Metric(FILE, BINARY, "docs"),
    "evaluate_spacing": Metric(FILE, BINARY, "docs"),
    "evaluate_strike_through_last_paragraph": Metric(FILE, BINARY, "docs"),
    "find_default_font": Metric(APP, BINARY, "docs"),
    "get_unique_train_ids": Metric(PROPERTY, BINARY, "docs"),
    "has_page_numbers_in_footers": Metric(PROPERTY, BINARY, "docs"),
    "is_first_line_centered": Metric(PROPERTY, BINARY, "docs"),
    "check_accessibility_tree": Metric(GUI, GRADED, "general"),
    "check_csv": Metric(PROPERTY, BINARY, "general"),
    "check_direct_json_object": Metric(BY_GETTER, BINARY, "general"),
    "check_include_exclude": Metric(BY_GETTER, BINARY, "general"),
    "check_json": Metric(PROPERTY, BINARY, "general"),
    "check_line_number": Metric(PROPERTY, BINARY, "general"),
    "check_list": Metric(BY_GETTER, BINARY, "general"),
    "compare_python_pure_text": Metric(FILE, BINARY, "general"),
    "compare_terminal_and_txt": Metric(FILE, BINARY, "general"),
    "compare_time_in_speedtest_results": Metric(DEVICE, BINARY, "general"),
    "diff_text_file": Metric(FILE, GRADED, "general"),
    "exact_match": Metric(BY_GETTER, BINARY, "general"),
    "file_contains": Metric(PROPERTY, BINARY, "general"),
    "fuzzy_match": Metric(BY_GETTER, GRADED, "general"),
    "fuzzy_place_math": Metric(PROPERTY, GRADED, "general"),
    "is_gold_text_included_in_pdf": Metric(FILE, BINARY, "general"),
    "is_in_list": Metric(BY_GETTER, BINARY, "general"),
    "is_included_all_json_objects": Metric(FILE, BINARY, "general"),
    "literal_match": Metric(BY_GETTER, BINARY, "general"),
    "match_in_list": Metric(BY_GETTER, BINARY, "general"),
    "run_sqlite3": Metric(PROPERTY, GRADED, "general"),
    "check_brightness_decrease_and_structure_sim": Metric(IMAGE, BINARY, "gimp"),
    "check_config_status": Metric(APP, BINARY, "gimp"),
    "check_contrast_increase_and_structure_sim": Metric(IMAGE, BINARY, "gimp"),
    "check_file_exists": Metric(DEVICE, BINARY, "gimp"),
    "check_file_exists_and_structure_sim": Metric(IMAGE, BINARY, "gimp"),
    "check_green_background": Metric(IMAGE, BINARY, "gimp"),
    "check_image_file_size": Metric(PROPERTY, BINARY, "gimp"),
    "check_image_mirror": Metric(IMAGE, BINARY, "gimp"),
    "check_image_size": Metric(PROPERTY, BINARY, "gimp"),
    "check_palette_and_structure_sim": Metric(IMAGE, BINARY, "gimp"),
    "check_saturation_increase_and_structure_sim": Metric(IMAGE, BINARY, "gimp"),
    "check_sharper": Metric(IMAGE, BINARY, "gimp"),
    "check_structure_sim": Metric(IMAGE, BINARY, "gimp"),
    "check_structure_sim_resized": Metric(IMAGE, BINARY, "gimp"),
    "check_structure_sim_with_threshold": Metric(IMAGE, BINARY, "gimp"),
    "check_textbox_on_leftside": Metric(PROPERTY, BINARY, "gimp"),
    "check_triangle_position": Metric(PROPERTY, BINARY, "gimp"),
    "compare_image_list": Metric(IMAGE, BINARY, "gimp"),
    "compare_triangle_positions": Metric(IMAGE, BINARY, "gimp"),
    "decrease_brightness": Metric(IMAGE, BINARY, "gimp"),
    "increase_saturation": Metric(IMAGE, BINARY, "gimp"),
    "check_libre_locale": Metric(APP, BINARY, "libreoffice"),
    "check_mp3_meta": Metric(PROPERTY, BINARY, "others"),
    "compare_epub": Metric(FILE, GRADED, "others"),
    "check_pdf_pages": Metric(PROPERTY, BINARY, "pdf"),
    "check_auto_saving_time": Metric(APP, BINARY, "slides"),
    "check_image_stretch_and_center": Metric(FILE, BINARY, "slides"),
    "check_left_panel": Metric(GUI, BINARY, "slides"),
    "check_page_number_colors": Metric(PROPERTY, BINARY, "slides"),
    "check_presenter_console_disable": Metric(APP, BINARY, "slides"),
    "check_slide_numbers_color": Metric(PROPERTY, BINARY, "slides"),
    "check_slide_orientation_Portrait": Metric(PROPERTY, BINARY, "slides"),
    "check_strikethrough": Metric(PROPERTY, BINARY, "slides"),
    "check_transition": Metric(PROPERTY, BINARY, "slides"),
    "compare_pptx_files": Metric(FILE, BINARY, "slides"),
    "evaluate_presentation_fill_to_rgb_distance": Metric(PROPERTY, GRADED, "slides"),
    "compare_conference_city_in_order": Metric(PROPERTY, BINARY, "table"),
    "compare_csv": Metric(FILE, BINARY, "table"),
    "compare_table": Metric(FILE, BINARY, "table"),
    "check_thunderbird_filter": Metric(APP, BINARY, "thunderbird"),
    "check_thunderbird_folder": Metric(APP, BINARY, "thunderbird"),
    "check_thunderbird_prefs": Metric(APP, BINARY, "thunderbird"),
    "check_global_key_play_pause": Metric(APP, BINARY, "vlc"),
    "check_one_instance_when_started_from_file": Metric(APP, BINARY, "vlc"),
    "check_play_and_exit": Metric(APP, BINARY, "vlc"),
    "check_qt_bgcone": Metric(APP, BINARY, "vlc"),
    "check_qt_max_volume": Metric(APP, BINARY, "vlc"),
    "check_qt_minimal_view": Metric(APP, BINARY, "vlc"),
    "check_qt_slider_colours": Metric(APP, BINARY, "vlc"),
    "compare_audios": Metric(MEDIA, GRADED, "vlc", needs="librosa"),
    "compare_images": Metric(IMAGE, GRADED, "vlc"),
    "compare_videos": Metric(MEDIA, BINARY, "vlc"),
    "is_vlc_fullscreen": Metric(GUI, BINARY, "vlc"),
    "is_vlc_playing": Metric(GUI, BINARY, "vlc"),
    "is_vlc_recordings_folder": Metric(APP, BINARY, "vlc"),
    "check_html_background_image": Metric(PROPERTY, BINARY, "vscode"),
    "check_json_keybindings": Metric(APP, BINARY, "vscode"),
    "check_json_settings": Metric(APP, BINARY, "vscode"),
    "check_python_file_by_gold_file": Metric(CODE, BINARY, "vscode"),
    "check_python_file_by_test_suite": Metric(CODE, GRADED, "vscode"),
    "compare_answer": Metric(BY_GETTER, BINARY, "vscode"),
    "compare_config": Metric(APP, BINARY, "vscode"),
    "compare_result_files": Metric(FILE, BINARY, "vscode"),
    "compare_text_file": Metric(FILE, BINARY, "vscode"),
    "compare_zip_files": Metric(FILE, BINARY, "vscode"),
    "is_extension_installed": Metric(DEVICE, BINARY, "vscode"),
}


def metric(name: str) -> Metric:
    """The metric of that name.

    Raises:
        UnknownName: the table does not know it; a new upstream function must be looked at before a task can be described.
    """
    try:
        return METRICS[name]
    except KeyError:
        raise UnknownName.among("metric in unibench_osworld.metrics", name, METRICS) from None
